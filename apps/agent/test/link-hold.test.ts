/** A lost link to the broker is news only when it lasts; what is measured shows it all the same. */
import { appendFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { TerminalStatus } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LinkHold } from '../src/platforms/metatrader/run/link-hold.ts';
import { Observations } from '../src/platforms/metatrader/run/observations.ts';
import { SandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const { ACTIVE, CONNECTING, DISCONNECTED } = TerminalStatus;
const LONG = { linkHoldMs: 3_600_000 };

let host: SandboxHost;
beforeAll(async () => {
  host = await SandboxHost.start();
});
afterAll(() => host.close());

const say = async (terminal: TestTerminal, ...messages: string[]): Promise<void> => {
  const folder = join(host.toRoot(terminal), 'logs');
  const [file] = (await readdir(folder)).sort().slice(-1);
  const text = messages.map((message) => `XX\t0\t12:00:00.000\tNetwork\t${message}\r\n`).join('');
  await appendFile(join(folder, file!), Buffer.from(text, 'utf16le'));
};
const LOST = "'5001': connection to Test-Demo lost";
const BACK = "'5001': authorized on Test-Demo through Harbour (ping: 7.00 ms, build 5430)";
const isDown = async ({ driver }: TestTerminal) => (await driver.measure?.())?.link === 'down';

describe('a link that is lost', () => {
  test('and back in time is no news, and samples show the gap', async () => {
    const terminal = await host.createTerminal({ timing: LONG });
    await terminal.install();
    await say(terminal, LOST);
    await waitFor(() => isDown(terminal));
    expect(terminal.driver.observe()?.status).toBe(ACTIVE);
    await say(terminal, BACK);
    await waitFor(async () => !(await isDown(terminal)));
    expect(terminal.statuses).not.toContain(DISCONNECTED);
  });

  test('for longer is news, also where the agent was restarted meanwhile', async () => {
    const terminal = await host.createTerminal({ timing: LONG });
    await terminal.install();
    await say(terminal, LOST);
    await waitFor(() => isDown(terminal));
    await host.reopen(terminal, { timing: LONG });
    expect(await terminal.driver.reattach()).toBe(true);
    expect(await isDown(terminal)).toBe(true);
    expect(terminal.driver.observe()).toBeUndefined();
    await host.reopen(terminal);
    await terminal.driver.reattach();
    await waitFor(() => terminal.driver.observe()?.status === DISCONNECTED);
    await say(terminal, BACK);
    await waitFor(() => terminal.driver.observe()?.status === ACTIVE);
  });

  test('by a terminal that has ended is news at once', async () => {
    const terminal = await host.createTerminal({ timing: LONG });
    await terminal.install();
    await say(terminal, LOST);
    await waitFor(() => isDown(terminal));
    process.kill(await host.getPid(terminal), 'SIGKILL');
    await waitFor(() => terminal.driver.observe()?.status === DISCONNECTED);
  });
});

describe('the hold', () => {
  const lost = { status: DISCONNECTED, reason: 'The connection to A was lost.' };
  const open = (linkHoldMs: number) => {
    const observations = new Observations();
    const hold: LinkHold = new LinkHold({ edition: { timing: { linkHoldMs } }, observations }, () =>
      hold.take(lost, true),
    );
    return { observations, hold };
  };

  test('is for those that were connected: who never was is disconnected at once', () => {
    const { observations, hold } = open(3_600_000);
    hold.take({ status: CONNECTING, reason: null }, true);
    hold.take(lost, true);
    expect(observations.get()).toEqual(lost);
  });

  test('of no length reports everything', () => {
    const { observations, hold } = open(0);
    hold.take({ status: ACTIVE, reason: null }, true);
    hold.take(lost, true);
    expect(observations.get()).toEqual(lost);
  });

  test('begins anew with each loss', async () => {
    const { observations, hold } = open(20);
    for (let round = 0; round < 2; round += 1) {
      hold.take({ status: ACTIVE, reason: null }, true);
      hold.take(lost, true);
      expect(observations.get()?.status).toBe(ACTIVE);
      await waitFor(() => observations.get()?.status === DISCONNECTED);
    }
  });
});
