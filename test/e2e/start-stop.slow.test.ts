// @module-tag curl
/** `script/server` in a clone in which nothing is built, as a new user has it; and ended at each moment of its start. */
import { chownSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endProcesses, findFreePort, type StackRole } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Checkout, NOBODY } from './checkout.ts';
import { killWhileStarting, runTerminalAndStop, stop, stopWhileStarting } from './starts.ts';

const TIMEOUT_MS = 600_000;
const isRoot = process.getuid?.() === 0;

let folder: string;
let checkout: Checkout;
let port: string;
beforeAll(async () => {
  folder = realpathSync(mkdtempSync(isRoot ? '/tmp/berth-home-' : join(tmpdir(), 'berth-checkout-')));
  if (isRoot) chownSync(folder, NOBODY.uid, NOBODY.gid);
  checkout = new Checkout(join(folder, 'berth'), { built: 'nothing', ...(isRoot ? { owner: NOBODY } : {}) });
  port = String(await findFreePort());
}, TIMEOUT_MS);
afterAll(async () => {
  await endProcesses();
  await checkout.remove();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

describe('script/server in a new clone of an ordinary user', { timeout: TIMEOUT_MS }, () => {
  it('builds everything, the dashboard too, and starts', async () => {
    const server = await checkout.start({ BERTH_PORT: port, TMPDIR: '/tmp' });
    const page = await fetch(server.url, { headers: { accept: 'text/html' } });
    expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('<script type="module"')]);
    await runTerminalAndStop(checkout, server);
  });

  it.each<StackRole>(['PostgreSQL', 'trading server', 'agent'])(
    'script/server in a new clone of an ordinary user leaves nothing when it is asked to stop as soon as it has a process of the role: %s',
    (role) => stopWhileStarting(checkout, port, role),
  );

  it.each<StackRole>(['trading server', 'agent'])(
    'script/server in a new clone of an ordinary user leaves no child when it is killed as soon as it has one of the role: %s',
    async (role) => {
      await killWhileStarting(checkout, port, role);
      await stop(await checkout.start({ BERTH_PORT: port, TMPDIR: '/tmp' }));
      expect(checkout.processes()).toEqual([]);
    },
  );
});
