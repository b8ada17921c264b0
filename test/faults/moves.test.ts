/**
 * A terminal moves back and forth between two real hosts, while the server and the agents are killed at each step: two of
 * it never run, its files are never gone, and it arrives, with its expert and algo trading.
 */
import { existsSync, readdirSync } from 'node:fs';
import { waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { useRemoteHosts } from '../e2e/remote-hosts.ts';
import { TerminalUser } from '../e2e/terminal-user.ts';

const TIMEOUT_MS = 600_000;

const { stack, createHost } = useRemoteHosts({ BERTH_TIME_PERCENT: '30' });

/** A host whose agent can be killed. */
const startHost = async (name: string) => {
  const { region, directory, start, join } = await createHost(name);
  let agent = await join(5);
  const kill = async (): Promise<void> => {
    agent.kill('SIGKILL');
    await agent.ended;
    agent = start();
  };
  const listPrograms = () => stack.processes('terminal').filter(({ folder }) => folder.startsWith(directory));
  /** What it has of a terminal. */
  const hasFiles = (id: string): boolean =>
    existsSync(directory) && readdirSync(directory, { recursive: true }).some((path) => String(path).includes(id));
  return { region, kill, listPrograms, hasFiles };
};

const restartServer = async (): Promise<void> => {
  stack.server.kill('SIGKILL');
  await stack.server.ended;
  await stack.restart();
};

it(
  'a terminal that moves while the server and both agents are killed never runs twice, is never lost, and trades in the end',
  async () => {
    const hosts = [await startHost('one'), await startHost('two')] as const;
    await stack.waitForHosts(2);
    const user = new TerminalUser(stack.url, (await stack.register('Mover')).token);
    const account = { server_name: 'Harbour-Demo', login: '5001', password: 'pass-of-quay' };
    const { id } = await user.createTerminal({ ...account, region: hosts[0].region });
    await user.waitForStatus(id, 'ACTIVE');
    const { id: file_id } = await user.upload('Trend.ex5', Buffer.from('a program'));
    await user.run(id, 'EA_INSTALL', { name: 'Trend', symbol: 'EURUSD', period: 'H1', allow_algo_trading: 1, file_id });
    await user.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });

    const faults: string[] = [];
    const watch = setInterval(() => {
      const running = hosts.map(({ listPrograms }) => listPrograms().length);
      if (running.every((count) => count > 0)) faults.push(`runs on both: ${running.join(', ')}`);
      if (!hosts.some(({ hasFiles }) => hasFiles(id))) faults.push('its files are gone');
    }, 50);
    const find = () => user.berth.terminals.get(id, { include: 'details' });
    const readPhase = async () =>
      (await stack.query<{ phase: string }>('select phase from terminal_moves where terminal_id = $1', [id]))[0]?.phase;
    const victims = {
      server: () => restartServer(),
      source: (from: number) => hosts[from]!.kill(),
      target: (from: number) => hosts[1 - from]!.kill(),
    };
    let from = 0;
    for (const [phase, victim] of [
      ['stopping', 'server'],
      ['installing', 'target'],
      ['stopping', 'source'],
      ['installing', 'server'],
    ] as const) {
      const to = hosts[1 - from]!;
      // What was left there is removed first.
      const isFree = async () =>
        (await stack.query('select from left_terminals where terminal_id = $1', [id])).length === 0;
      await waitFor(isFree, { what: 'the removal of what was left' });
      expect(to.hasFiles(id)).toBe(false);
      // One that is frozen does not close: its stop goes on until whoever is to die is dead.
      const frozen = phase === 'stopping' ? hosts[from]!.listPrograms() : [];
      for (const { pid } of frozen) process.kill(pid, 'SIGSTOP');
      await user.berth.terminals.move(id, { region: to.region });
      await waitFor(async () => (await readPhase()) === phase, { what: phase });
      await victims[victim](from);
      for (const { pid } of frozen) process.kill(pid, 'SIGCONT');
      await waitFor(async () => (await readPhase()) === undefined, { what: 'the end of the move' });
      from = 1 - from;
      expect((await find()).region, `${victim} was killed while ${phase}`).toBe(to.region);
      const trades = async () => (await find()).trading_allowed === true;
      await waitFor(trades, { what: 'algo trading' });
    }
    clearInterval(watch);
    expect(faults).toEqual([]);
    const hasExpert = async () =>
      (await user.berth.terminals.charts(id)).data.some(({ expert }) => expert?.name === 'Trend');
    await waitFor(hasExpert, { what: 'the expert' });
  },
  TIMEOUT_MS,
);
