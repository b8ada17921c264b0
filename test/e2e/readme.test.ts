/** The README's main job, typed as it stands there: once, and once more by somebody who comes back. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startTestStack, type TestStack } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const TIMEOUT_MS = 600_000;
const README = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');

const blocks = [...README.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text);
const start = blocks.findIndex((text) => text.startsWith('BERTH='));
const [job = '', look = ''] = blocks.slice(start, start + 2);

let stack: TestStack;
let folder: string;

const type = () => {
  const address = job.replace(/^BERTH=.*$/m, `BERTH=${stack.url}`);
  const script = `${address}\n${look}\necho; echo "TOKEN=$TOKEN"; echo "PICTURE=$PICTURE"`;
  const { stdout, stderr } = spawnSync('sh', ['-c', script], { cwd: folder, encoding: 'utf8', timeout: TIMEOUT_MS });
  return { stdout, stderr };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'berth-readme-'));
  stack = await startTestStack();
}, TIMEOUT_MS);

afterAll(async () => {
  await stack.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

describe('the curls of the README', { timeout: TIMEOUT_MS }, () => {
  it.each(['the first time', 'again, with the account that exists'])('end with a picture %s', () => {
    rmSync(join(folder, 'terminal.png'), { force: true });
    const { stdout, stderr } = type();
    expect(stderr).toBe('');
    expect(stdout).toMatch(/^TOKEN=\d+\|\w{48}$/m);
    expect(stdout).toMatch(/^PICTURE=[0-9a-f-]{36}$/m);
    expect(readFileSync(join(folder, 'terminal.png')).subarray(1, 4).toString()).toBe('PNG');
  });

  it('end with the answer that says what is wrong where nobody may register', async () => {
    stack.server.kill('SIGTERM');
    await stack.server.ended;
    await stack.restart({ BERTH_REGISTRATION: 'closed' });
    const other = job.replaceAll('ada@example.com', 'nobody@example.com').replace(/^BERTH=.*$/m, `BERTH=${stack.url}`);
    const { status, stdout } = spawnSync('sh', ['-c', other], { cwd: folder, encoding: 'utf8', timeout: TIMEOUT_MS });
    expect(status).toBe(0);
    expect(stdout).toContain('Unauthenticated.');
  });
});
