/**
 * Terminals on one host, each in its box: started, tasked, one killed, the agent killed and started anew. With
 * BERTH_WINE_FIGURES=1 it takes two minutes more, and writes the table that docs/benchmarks.md shows.
 */
import { loadavg } from 'node:os';
import { TaskStatus, TerminalStatus, type Terminal } from '@berth/contract';
import { waitFor, type SpawnedProcess } from '@berth/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TerminalUser } from '../../e2e/terminal-user.ts';
import { measureTerminals, toTable, withSeconds } from './figures.ts';
import { listHostBoxes } from './host-boxes.ts';
import { startStandInHost, type StandInHost } from './stand-in-host.ts';

/** Declares the tests for a number of terminals on a host. */
export const testTerminals = (count: number): void => {
  let host: StandInHost;
  let agent: SpawnedProcess;
  let user: TerminalUser;
  let ids: string[];
  const figures: [what: string, figure: string][] = [];
  const loadBefore = loadavg()[0] ?? 0;
  beforeAll(async () => {
    host = await startStandInHost();
    agent = host.agent;
    user = new TerminalUser(host.stack.url, (await host.stack.register('Many Terminals')).token);
  });
  afterAll(() => host?.close());

  const listTerminals = (): Promise<Terminal[]> => Promise.all(ids.map((id) => user.getTerminal(id)));
  const isEachActive = async () => (await listTerminals()).every(({ status }) => status === TerminalStatus.ACTIVE);
  const waitForAll = () => waitFor(isEachActive, { what: `${count} active terminals`, timeoutMs: 170_000 });
  /** For this many at once: in total, and each. */
  const note = (what: string, seconds: number, of: number): void => {
    const each = of > 1 ? `, ${(seconds / of).toFixed(1)} s each` : '';
    figures.push([what, `${seconds.toFixed(1)} s${each}`]);
  };

  /** The terminals' own processes, by their numbers on this machine. */
  const listPids = async (): Promise<number[]> =>
    (await listHostBoxes(host.directory)).flatMap(({ inside }) =>
      inside.filter(({ command }) => command[0] === 'C:\\mt5\\terminal64.exe').map(({ pid }) => pid),
    );

  describe(`${count} terminals under Wine`, () => {
    it('are installed and come up, each for itself', async () => {
      const orders = Array.from({ length: count }, (_, index) => ({
        server_name: 'Harbour-Demo',
        login: String(7000 + index),
        password: `pass-${7000 + index}`,
        region: 2,
        platform: 'mt5',
      }));
      const { seconds } = await withSeconds(async () => {
        ids = (await Promise.all(orders.map((order) => user.createTerminal(order)))).map(({ id }) => id);
        await waitForAll();
      });
      note('requested at once, until all are installed, started and logged in', seconds, count);
      const paths = (await listTerminals()).map(({ path }) => path);
      expect(new Set(paths).size).toBe(count);
      expect(await listPids()).toHaveLength(count);
    });

    it('carry out a task each', async () => {
      const screenshot = (id: string) => user.run(id, 'SCREENSHOT', { width: 800, height: 600 });
      const { result: tasks, seconds } = await withSeconds(() => Promise.all(ids.map(screenshot)));
      expect(tasks.every(({ status }) => status === TaskStatus.COMPLETED)).toBe(true);
      note('a screenshot of each, requested at once', seconds, count);
      note('one screenshot, from the request to its file', (await withSeconds(() => screenshot(ids[0]!))).seconds, 1);
    });

    it('are all there after the agent was killed and restarted', async () => {
      const before = await listPids();
      agent.child.kill('SIGKILL');
      await agent.ended;
      const { seconds } = await withSeconds(async () => {
        agent = host.startAgent();
        await host.stack.waitForHosts(5);
        await waitForAll();
        const tasks = await Promise.all(
          ids.slice(0, 5).map((id) => user.run(id, 'EA_LOGS', { source: 'journal', lines: 5 })),
        );
        expect(tasks.every(({ status }) => status === TaskStatus.COMPLETED)).toBe(true);
      });
      expect(await listPids()).toEqual(before);
      note('agent killed and started anew, until five have read their journals', seconds, 1);
    });

    it('are left alone when one of them is killed, which comes back', async () => {
      const [victim = 0, ...others] = await listPids();
      expect(victim).toBeGreaterThan(1);
      const { seconds } = await withSeconds(async () => {
        process.kill(victim, 'SIGKILL');
        const hasCome = (pids: number[]) => !pids.includes(victim) && pids.length === count;
        await waitFor(async () => hasCome(await listPids()), { what: 'another one' });
        await waitForAll();
      });
      expect((await listPids()).filter((pid) => others.includes(pid))).toEqual(others);
      note('one killed, until it is back; the back-off of a restart included', seconds, 1);
    });

    it.runIf(process.env.BERTH_WINE_FIGURES === '1')('take what the pages say', async () => {
      figures.push(...(await measureTerminals(host.directory, agent.pid)));
      process.stdout.write(`\n${toTable(figures, loadBefore)}\n\n`);
    });
  });
};
