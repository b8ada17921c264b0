/** An instance under load of which every part can be killed, and what must be so afterwards. */
import {
  endProcesses,
  startTestStack,
  waitFor,
  type StackProcess,
  type StackRole,
  type TestStack,
} from '@berth/testing';
import { TerminalUser } from '../e2e/terminal-user.ts';
import { LOAD_ORDERS, startLoad, type Load, type LoadTerminal } from './load.ts';
import { expectNothingLost, waitUntilSettled } from './verdict.ts';

/** @returns false when it had ended by itself */
const isKilled = (pid: number): boolean => {
  try {
    return process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
    return false;
  }
};

export class KillScene {
  readonly stack: TestStack;
  readonly user: TerminalUser;
  readonly terminals: readonly LoadTerminal[];

  private constructor({ stack, user, terminals }: Pick<KillScene, 'stack' | 'user' | 'terminals'>) {
    this.stack = stack;
    this.user = user;
    this.terminals = terminals;
  }

  /** Resolves when every terminal is ACTIVE. */
  static async start(count: number): Promise<KillScene> {
    const stack = await startTestStack({ isEmbedded: true, environment: { BERTH_TIME_PERCENT: '20' } });
    const user = new TerminalUser(stack.url, (await stack.register('Chaos')).token);
    const create = (number: number) =>
      user.createTerminal({
        server_name: 'Harbour-Demo',
        login: String(7000 + number),
        password: `pass-${7000 + number}`,
        region: number % 4,
      });
    const terminals = await Promise.all(Array.from({ length: count }, (_, number) => create(number)));
    await Promise.all(terminals.map(({ id }) => user.waitForStatus(id, 'ACTIVE')));
    return new KillScene({ stack, user, terminals });
  }

  /** Tasks of every kind for each terminal, once or more often. Resolves when some are under way. */
  async startTasks(times = 1): Promise<Load> {
    const count = times * LOAD_ORDERS * this.terminals.length;
    const load = startLoad(this.stack, this.user.token, this.terminals, { count });
    await waitFor(() => load.accepted.length >= 2 * this.terminals.length, { what: 'tasks under way' });
    return load;
  }

  async settle(load: Load): Promise<void> {
    await load.done;
    await waitUntilSettled(this.stack);
    await expectNothingLost(this.stack, load.accepted);
  }

  /** A terminal that has just ended by itself needs no kill: installing and removing EAs restarts it. */
  kill({ pid }: StackProcess): void {
    isKilled(pid);
  }

  async killOne(role: StackRole): Promise<StackProcess> {
    const found = await waitFor(() => this.stack.processes(role)[0], { what: `a process of the role ${role}` });
    this.kill(found);
    return found;
  }

  /** Resolves when another one has taken its place. */
  async killAgent(): Promise<void> {
    const killed = await this.killOne('agent');
    const isAnother = () => this.stack.processes('agent').some(({ pid }) => pid !== killed.pid);
    await waitFor(isAnother, { what: 'a new agent' });
  }

  async killServer(): Promise<void> {
    this.stack.server.kill('SIGKILL');
    await this.stack.server.ended;
    await this.stack.restart();
  }

  /** Kills the postmaster, not one of its children. Its PID file may still name one that is gone. */
  async killPostgres(): Promise<void> {
    const tryOnce = () => {
      const pid = this.stack.postmasterPid();
      return pid !== undefined && isKilled(pid);
    };
    await waitFor(tryOnce, { what: 'a postmaster' });
  }

  async stop(): Promise<void> {
    await this.stack.close();
    await endProcesses();
  }
}
