/**
 * The commands of the pages, typed as they stand there: blocks that are marked `<!-- run: … -->`. On a fresh instance, once,
 * and once more by somebody who comes back. Those of a guide follow those of the quickstart, in the same shell.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TIMEOUT_MS = 600_000;
const docs = join(import.meta.dirname, '../../docs');

const readBlocks = (page: string): string[] =>
  [...readFileSync(join(docs, page), 'utf8').matchAll(/^<!-- run: \w+ -->\n\n```sh\n(.*?)^```$/gms)].map(
    ([, text = '']) => text,
  );

const quickstart = readBlocks('quickstart.md');
const [login = ''] = quickstart;
const cleaning = quickstart.at(-1) ?? '';
const guides = readdirSync(join(docs, 'guides'))
  .map((name) => ({ page: `guides/${name}`, blocks: readBlocks(`guides/${name}`) }))
  .filter(({ blocks }) => blocks.length > 0);

let stack: TestStack;
let folder: string;

const type = (text: string) => {
  const env = { PATH: process.env.PATH, BERTH: stack.url };
  return spawnSync('sh', ['-c', text], { cwd: folder, env, encoding: 'utf8', timeout: TIMEOUT_MS });
};

/** Every answer says that it is well, and no variable stayed empty. */
const expectWell = ({ stdout, stderr }: { stdout: string; stderr: string }): void => {
  expect(stderr).toBe('');
  expect(stdout).not.toMatch(/"ok":false|"errors":/);
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-pages-'));
  writeFileSync(join(folder, 'Trend.ex5'), 'another program');
  stack = await startTestStack();
}, TIMEOUT_MS);

afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const visits = ['the first time', 'again, with the account that exists'];

describe('the commands of the quickstart', { timeout: TIMEOUT_MS }, () => {
  it.each(visits)('end with a log line and a picture %s', (visit) => {
    rmSync(join(folder, 'terminal.png'), { force: true });
    const done = type([...quickstart, 'echo; echo "TOKEN=$TOKEN"; echo "PICTURE=$PICTURE"'].join('\n'));
    // Who comes back is told that there is an account of that address, and logs in.
    expect([done.stderr, visit]).toEqual(['', visit]);
    expect(done.stdout).toContain('Trend (EURUSD,M15)');
    expect(done.stdout).toMatch(/^TOKEN=\d+\|\w{48}$/m);
    expect(done.stdout).toMatch(/^PICTURE=[0-9a-f-]{36}$/m);
    expectWell(done);
    expect(readFileSync(join(folder, 'terminal.png')).subarray(1, 4).toString()).toBe('PNG');
  });
});

describe('the commands of the guides', { timeout: TIMEOUT_MS }, () => {
  it('are there', () => expect(guides.length).toBeGreaterThan(2));

  it.each(guides.flatMap((guide) => visits.map((visit) => ({ ...guide, visit }))))(
    '$page are answered well $visit',
    ({ blocks }) => {
      const before = quickstart.slice(0, -1);
      const done = type([...before, 'TASK=$INSTALLED', 'echo; echo BEGINS', ...blocks, cleaning].join('\n'));
      expectWell(done);
      const answers = done.stdout.slice(done.stdout.indexOf('BEGINS')).match(/"ok":true/g);
      expect(answers?.length).toBeGreaterThan(blocks.length);
    },
  );
});

it('where nobody may register, the answer says what is wrong', { timeout: TIMEOUT_MS }, async () => {
  stack.server.kill('SIGTERM');
  await stack.server.ended;
  await stack.restart({ BERTH_REGISTRATION: 'closed' });
  const stranger = login.replaceAll('ada@example.com', 'nobody@example.com');
  const { status, stdout } = type(`${stranger}\ncall /v1/my/account/profile`);
  expect([status, stdout]).toEqual([0, expect.stringContaining('Unauthenticated.')]);
});
