/** Errors that end a wait. */
import { BerthError } from '../errors.ts';
import type { Task, TaskStep, Terminal } from '../types.ts';

/**
 * A task ended, but not well.
 * @example
 * import { Berth, TaskFailedError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const account = { server_name: 'Harbour-Demo', login: '5003', password: 'trade-me' };
 * const { id } = await berth.terminals.create(account);
 * const login = { login: '5003', password: 'wrong', server_name: 'Harbour-Demo' };
 * const failure = await berth.tasks.run(id, 'ACCOUNT_LOGIN', login).catch((error: unknown) => error);
 * failure instanceof TaskFailedError && failure.code; // => 'E_AUTH'
 * await berth.terminals.delete(id);
 */
export class TaskFailedError extends BerthError {
  /** Name of the class. */
  override name = 'TaskFailedError';
  /** The task at its end. */
  readonly task: Task;
  /** Why, as the API names it: `E_AUTH`, `E_TIMEOUT`; null where no step says so. */
  readonly code: TaskStep['code'];
  /** What its host did, oldest first. */
  readonly steps: readonly TaskStep[];

  constructor(message: string, task: Task) {
    super(message);
    this.task = task;
    this.steps = task.result.runner_result;
    this.code = this.steps.at(-1)?.code ?? null;
  }
}

/**
 * A terminal is in a status from which it will not reach the awaited one by itself.
 * @example
 * import { Berth, TerminalStateError } from '@berth/client';
 * const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '<id>|<secret>' });
 * const account = { server_name: 'Unknown-Server', login: '5004', password: 'trade-me' };
 * const { id } = await berth.terminals.create(account);
 * const failure = await berth.terminals.waitFor(id, 'ACTIVE').catch((error: unknown) => error);
 * failure instanceof TerminalStateError && failure.terminal.status_name; // => 'LOGIN_FAILED'
 * await berth.terminals.delete(id);
 */
export class TerminalStateError extends BerthError {
  /** Name of the class. */
  override name = 'TerminalStateError';
  /** The terminal as it was then. */
  readonly terminal: Terminal;

  constructor(message: string, terminal: Terminal) {
    super(message);
    this.terminal = terminal;
  }
}
