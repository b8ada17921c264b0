/**
 * The commands of the pages for users, typed as they stand there: blocks that are marked `<!-- run: … -->`. On a fresh instance,
 * once, and once more by somebody who comes back. Those of a guide follow those of the quickstart, in the same shell.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TerminalStatus } from '@berth/contract';
import { startTestStack, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listPagesToFollow, readBlocks, readRun, type PageBlock } from '../house/page-blocks.ts';

const TIMEOUT_MS = 600_000;
/** How long what goes on by itself may take until it has said what is waited for. */
const UNTIL_SECONDS = 60;

const listRun = (page: string, by: string): PageBlock[] =>
  readBlocks(page).filter((block) => readRun(block)?.by === by);

const quickstart = listRun('docs/quickstart.md', 'quickstart').map(({ text }) => text);
const [login = ''] = quickstart;
const cleaning = quickstart.at(-1) ?? '';
const guides = listPagesToFollow()
  .map((page) => ({ page, blocks: listRun(page, 'guide') }))
  .filter(({ blocks }) => blocks.length > 0);

/** What goes on by itself is read until it has said what it should, as a person presses Ctrl+C. */
const toCommand = (block: PageBlock): string => {
  const until = readRun(block)?.until;
  if (until === undefined) return block.text;
  return `{ timeout ${UNTIL_SECONDS} sh -c '${block.text.trim()}' | grep -m 1 '${until}' || echo '"errors":'; }\n`;
};

/** Waits until the tasks of the account are done, and says which of them failed. Planned ones wait for their time. */
const SETTLE = `(async () => {
  const read = async (path) => (await (await fetch(process.env.BERTH + path, { headers: { authorization: 'Bearer ' + process.env.TOKEN } })).json()).data;
  for (;;) {
    const open = (await read('/v1/my/tasks?status=0,1,2,3')).filter(({ planned_at: plannedAt }) => plannedAt === null);
    const away = (await read('/v1/my/trading/terminals')).filter(({ status }) => status !== ${TerminalStatus.ACTIVE});
    if (open.length + away.length === 0) break;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  for (const task of await read('/v1/my/tasks?status=5,7')) console.error(JSON.stringify(task));
})()`;
const settle = 'TOKEN=$TOKEN node -e "$SETTLE"\n';

let stack: TestStack;
let folder: string;

const type = (text: string) => {
  const env = { PATH: process.env.PATH, BERTH: stack.url, SETTLE };
  return spawnSync('sh', ['-c', text], { cwd: folder, env, encoding: 'utf8', timeout: TIMEOUT_MS });
};

/** Every answer says that it is well, no task failed, and no variable stayed empty. */
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
  it('are there', () => expect(guides.length).toBeGreaterThan(3));

  it.each(guides.flatMap((guide) => visits.map((visit) => ({ ...guide, visit }))))(
    '$page are answered well $visit',
    ({ blocks }) => {
      const before = [...quickstart.slice(0, -1), 'TASK=$INSTALLED; export TOKEN BERTH; echo; echo BEGINS', settle];
      const steps = blocks.flatMap((block) => [toCommand(block), settle]);
      const done = type([...before, ...steps, cleaning].join('\n'));
      expectWell(done);
      const answers = done.stdout.slice(done.stdout.indexOf('BEGINS')).match(/"ok":true|^event: /gm);
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
