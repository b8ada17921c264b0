/** Twenty terminals on one host, each in its box: started, tasked, one killed, the agent killed and started anew. */
import { execFileSync } from 'node:child_process';
import { TaskStatus, TerminalStatus, type Terminal } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { startStandInHost, type StandInHost } from './support/stand-in-host.ts';

const COUNT = 20;

let host: StandInHost;
let user: TerminalUser;
let ids: string[];
beforeAll(async () => {
  host = await startStandInHost();
  user = new TerminalUser(host.stack, (await host.stack.register('Many Terminals')).token);
});
afterAll(() => host?.close());

const listTerminals = (): Promise<Terminal[]> => Promise.all(ids.map((id) => user.getTerminal(id)));
const isEachActive = async () => (await listTerminals()).every(({ status }) => status === TerminalStatus.ACTIVE);
const waitForAll = () => waitFor(isEachActive, { what: `${COUNT} active terminals`, timeoutMs: 170_000 });

/** The terminals' own processes, by their numbers on this machine and the folder that each runs in. */
const listPids = (): Map<string, number> => {
  const lines = execFileSync(
    'sh',
    ['-c', 'for p in /proc/[0-9]*; do readlink -n "$p/cwd" && echo " ${p#/proc/}"; done; true'],
    {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  ).split('\n');
  return new Map(lines.filter((line) => /mt5 \d+$/.test(line)).map((line) => [line, Number(line.split(' ').at(-1))]));
};

describe('twenty terminals under Wine', () => {
  it('are installed and come up, each for itself', async () => {
    const orders = Array.from({ length: COUNT }, (_, index) => ({
      server_name: 'Harbour-Demo',
      login: String(7000 + index),
      password: `pass-${7000 + index}`,
      region: 2,
      platform: 'mt5',
    }));
    ids = (await Promise.all(orders.map((order) => user.createTerminal(order)))).map(({ id }) => id);
    await waitForAll();
    const paths = (await listTerminals()).map(({ path }) => path);
    expect(new Set(paths).size).toBe(COUNT);
  });

  it('carry out a task each', async () => {
    const tasks = await Promise.all(ids.map((id) => user.run(id, 'SCREENSHOT', { width: 800, height: 600 })));
    expect(tasks.every(({ status }) => status === TaskStatus.COMPLETED)).toBe(true);
  });

  it('are all there after the agent was killed and started anew', async () => {
    host.agent.child.kill('SIGKILL');
    await host.agent.ended;
    host.startAgent();
    await host.stack.waitForHosts(5);
    await waitForAll();
    const tasks = await Promise.all(
      ids.slice(0, 5).map((id) => user.run(id, 'EA_LOGS', { source: 'journal', lines: 5 })),
    );
    expect(tasks.every(({ status }) => status === TaskStatus.COMPLETED)).toBe(true);
  });

  it('are left alone when one of them is killed, which comes back', async () => {
    const before = listPids();
    const [, victim = 0] = [...before][0] ?? [];
    expect(victim).toBeGreaterThan(1);
    process.kill(victim, 'SIGKILL');
    await waitFor(() => !listPids().has([...before][0]?.[0] ?? ''), { what: 'the end of one terminal' });
    await waitForAll();
    const after = listPids();
    const unharmed = [...before.keys()].filter((line) => after.has(line));
    expect(unharmed.length).toBeGreaterThanOrEqual(before.size - 1);
  });
});
