// @module-tag curl
/**
 * The commands of the quickstart, typed as they stand there: blocks that are marked `<!-- run: quickstart -->`. On a fresh
 * instance, once, and once more by somebody who comes back. The slow tests go on with those of the guides.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { expectWell, openPageVisit, quickstart, TIMEOUT_MS, visits, type PageVisit } from './page-visit.ts';

let visit: PageVisit;
beforeAll(async () => void (visit = await openPageVisit()), TIMEOUT_MS);
afterAll(() => visit?.close(), TIMEOUT_MS);

describe('the commands of the quickstart', { timeout: TIMEOUT_MS }, () => {
  it.each(visits)('the commands of the quickstart end with a log line and a screenshot %s', (when) => {
    rmSync(join(visit.folder, 'terminal.png'), { force: true });
    const done = visit.type([...quickstart, 'echo; echo "TOKEN=$TOKEN"; echo "SCREENSHOT=$SCREENSHOT"'].join('\n'));
    // A returning visitor sees that an account with that address exists, and logs in.
    expect([done.stderr, when]).toEqual(['', when]);
    expect(done.stdout).toContain('Trend (EURUSD,M15)');
    expect(done.stdout).toMatch(/^TOKEN=\d+\|\w{48}$/m);
    expect(done.stdout).toMatch(/^SCREENSHOT=[0-9a-f-]{36}$/m);
    expectWell(done);
    expect(readFileSync(join(visit.folder, 'terminal.png')).subarray(1, 4).toString()).toBe('PNG');
  });
});

it('where nobody may register, the answer says what is wrong', { timeout: TIMEOUT_MS }, async () => {
  visit.stack.server.kill('SIGTERM');
  await visit.stack.server.ended;
  await visit.stack.restart({ BERTH_REGISTRATION: 'closed' });
  const [login = ''] = quickstart;
  const stranger = login.replaceAll('ada@example.com', 'nobody@example.com');
  const { status, stdout } = visit.type(`${stranger}\ncall /v1/my/account/profile`);
  expect([status, stdout]).toEqual([0, expect.stringContaining('Unauthenticated.')]);
});
