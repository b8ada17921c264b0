/** kill -9 of every part while tasks run. Afterwards nothing is lost, stuck, or done twice. */
import {
  endProcesses,
  startTestStack,
  waitFor,
  type StackProcess,
  type StackRole,
  type TestStack,
} from '@berth/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { LOAD_ORDERS, startLoad, type Load, type LoadTerminal } from './load.ts';
import { countConnections, expectNothingLost, waitUntilSettled } from './verdict.ts';

const TERMINALS = 6;
const TASKS = LOAD_ORDERS * TERMINALS;
const TIMEOUT_MS = 600_000;

let stack: TestStack;
let user: TerminalUser;
let terminals: LoadTerminal[];

beforeAll(async () => {
  stack = await startTestStack({ isEmbedded: true });
  user = new TerminalUser(stack.url, (await stack.register('Chaos')).token);
  const create = (number: number) =>
    user.createTerminal({
      server_name: 'Harbour-Demo',
      login: String(7000 + number),
      password: `pass-${7000 + number}`,
      region: number % 4,
    });
  terminals = await Promise.all(Array.from({ length: TERMINALS }, (_, number) => create(number)));
  await Promise.all(terminals.map(({ id }) => user.waitForStatus(id, 'ACTIVE')));
}, TIMEOUT_MS);

afterAll(async () => {
  await stack.close();
  await endProcesses();
}, TIMEOUT_MS);

beforeEach(({ onTestFailed }) => onTestFailed(() => void process.stderr.write(stack.server.output)));

const startTasks = async (count = TASKS): Promise<Load> => {
  const load = startLoad(stack, user.token, terminals, { count });
  await waitFor(() => load.accepted.length >= Math.min(count, 2 * TERMINALS), { what: 'tasks under way' });
  return load;
};

const settle = async (load: Load): Promise<void> => {
  await load.done;
  await waitUntilSettled(stack);
  await expectNothingLost(stack, load.accepted);
};

/** @returns false when it had ended by itself */
const isKilled = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
};

/** One that has just ended by itself needs no kill: experts that come and go restart their terminal. */
const kill = ({ pid }: StackProcess): void => void isKilled(pid);

const killOne = async (role: StackRole): Promise<StackProcess> => {
  const found = await waitFor(() => stack.processes(role)[0], { what: `a process of the role ${role}` });
  kill(found);
  return found;
};

/** Kills the postmaster, not one of its children. Its PID file may still name one that is gone. */
const killPostgres = async (): Promise<void> => {
  const tryOnce = () => {
    const pid = stack.postmasterPid();
    return pid !== undefined && isKilled(pid);
  };
  await waitFor(tryOnce, { what: 'a postmaster' });
};

/** Each terminal's process: which program runs in which folder since when. */
const listTerminalProcesses = (): string[] =>
  stack
    .processes('terminal')
    .map(({ folder, pid, startTicks }) => `${folder} ${pid} ${startTicks}`)
    .sort();

describe('under load, kill -9', () => {
  it('of the server costs no task and no terminal', { timeout: TIMEOUT_MS }, async () => {
    const load = await startTasks();
    stack.server.kill('SIGKILL');
    await stack.server.ended;
    await stack.restart();
    await settle(load);
  });

  it('of the agent costs no task', { timeout: TIMEOUT_MS }, async () => {
    const load = await startTasks();
    const killed = await killOne('agent');
    await waitFor(() => stack.processes('agent').some(({ pid }) => pid !== killed.pid), { what: 'a new agent' });
    await settle(load);
  });

  it('of terminals costs no task, and they come back', { timeout: TIMEOUT_MS }, async () => {
    const load = await startTasks();
    const killed = stack.processes('terminal').slice(0, TERMINALS / 2);
    killed.forEach(kill);
    await settle(load);
    const areBack = () => {
      const folders = new Set(stack.processes('terminal').map(({ folder }) => folder));
      return killed.every(({ folder }) => folders.has(folder));
    };
    await waitFor(areBack, { what: 'the killed terminals' });
  });

  it('of PostgreSQL costs no task, and the server lives on', { timeout: TIMEOUT_MS }, async () => {
    const { pid } = stack.server;
    const load = await startTasks();
    await killPostgres();
    await settle(load);
    expect(stack.processes('server').map((one) => one.pid)).toEqual([pid]);
    // Its long-lived connection came back, and once.
    const isBack = async () => (await countConnections(stack, 'berth listener')) === 1;
    await waitFor(isBack, { what: 'the one connection that listens' });
  });

  it('of the trading server costs no task and opens no demo account twice', { timeout: TIMEOUT_MS }, async () => {
    const load = await startTasks();
    await killOne('trading server');
    await settle(load);
  });

  it('of everything, again and again at any moment, loses nothing', { timeout: TIMEOUT_MS }, async () => {
    const load = await startTasks(2 * TASKS);
    const strikes = [
      () => killOne('agent'),
      () => killOne('terminal'),
      killPostgres,
      () => killOne('trading server'),
      async () => {
        stack.server.kill('SIGKILL');
        await stack.server.ended;
        await stack.restart();
      },
    ];
    for (let round = 0; round < 2 * strikes.length; round += 1) {
      await strikes[round % strikes.length]!();
      await delay(Math.random() * 1_500);
    }
    await settle(load);
  });
});

describe('with nothing to do, a terminal', () => {
  const expectSame = async (strike: () => Promise<unknown>): Promise<void> => {
    await stack.waitForHosts();
    await waitUntilSettled(stack);
    // One that was killed before may be on its way back, with no task that waits for it.
    await waitFor(() => listTerminalProcesses().length === TERMINALS, { what: 'a process for each terminal' });
    const before = listTerminalProcesses();
    await strike();
    await stack.waitForHosts();
    await user.run(terminals[0]!.id, 'SCREENSHOT', { width: 320, height: 240 });
    await waitUntilSettled(stack);
    expect(listTerminalProcesses()).toEqual(before);
  };

  it('outlives a kill -9 of the agent', { timeout: TIMEOUT_MS }, async () => {
    await expectSame(async () => {
      const killed = await killOne('agent');
      await waitFor(() => stack.processes('agent').some(({ pid }) => pid !== killed.pid), { what: 'a new agent' });
    });
  });

  it('outlives a kill -9 of the server', { timeout: TIMEOUT_MS }, async () => {
    await expectSame(async () => {
      stack.server.kill('SIGKILL');
      await stack.server.ended;
      await stack.restart();
    });
  });
});
