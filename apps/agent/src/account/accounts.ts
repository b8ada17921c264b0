/** The accounts of a host's terminals: what is known of them, and what can be done to them. */
import { toBoundedLine } from '@berth/contract/values';
import type { Logger, Timing } from '@berth/kit';
import type { ServerCalls } from '../server/server-calls.ts';
import type { TerminalKeeper } from '../terminals/terminal-keeper.ts';
import { AccountReporter, runAccountReports } from './account-reporter.ts';
import { AccountWatch, runAccountWatch, type AccountObserver } from './account-watch.ts';
import { closeEverything, countOpen, type CloseFilter, type CloseResult } from './close-everything.ts';
import type { Answer, WrittenAccount } from './exchange-files.ts';
import { sendCommand, type Command, type TradeCommand } from './send-command.ts';
import { isCurrent, isOwnAccount, type SeenAccount } from './watched-account.ts';

export type { Answer, CloseFilter, CloseResult, Command, SeenAccount, WrittenAccount };

/** A command to close something, and what was answered. */
export interface AnsweredCommand extends Omit<Answer, 'retcode'> {
  action: TradeCommand['action'];
  ticket: string;
  /** Null: the command could not be sent. */
  retcode: number | null;
  ms: number;
}

export interface CloseObserver {
  /** Called before each command is sent. */
  onOrder?: (() => void) | undefined;
  /** Called with each command, and its answer. */
  onAnswer?: ((command: AnsweredCommand) => void) | undefined;
}

export interface AccountsOptions {
  keeper: Pick<TerminalKeeper, 'list' | 'find'>;
  server: Pick<ServerCalls, 'sendAccounts'>;
  timing: Timing;
  /** Milliseconds of a monotonic clock. */
  elapsedMs?: () => number;
  log: Logger;
}

export class Accounts {
  readonly #options: AccountsOptions;
  readonly #watch: AccountWatch;
  readonly #reporter: AccountReporter;

  constructor(options: AccountsOptions) {
    this.#options = options;
    this.#watch = new AccountWatch(options);
    this.#reporter = new AccountReporter({ watch: this.#watch, server: options.server, log: options.log });
  }

  /** The last state of a terminal's account that was believed, whatever its age; undefined where there was none. */
  latestAccount(terminalId: string): SeenAccount | undefined {
    return this.#watch.latestAccount(terminalId);
  }

  /** Called with each new state as soon as it is read, before it is reported. @returns a function that ends it */
  observe(observer: AccountObserver): () => void {
    return this.#watch.observe(observer);
  }

  /** Sends a command for the account that was seen last. Rejects when there is none, or it could not be written. */
  async sendCommand(terminalId: string, command: Command, signal: AbortSignal): Promise<Answer> {
    const state = this.latestAccount(terminalId)?.state;
    if (!state) throw new Error('The terminal has not said anything about its account.');
    return this.#send(terminalId, command, state, signal);
  }

  /** Closes the positions and deletes the orders that a filter means: `closeEverything`. */
  closeEverything(
    terminalId: string,
    { onOrder, onAnswer, ...filter }: CloseFilter & CloseObserver,
    signal: AbortSignal,
  ): Promise<CloseResult> {
    const send = async (command: TradeCommand, account: WrittenAccount): Promise<Answer> => {
      const { elapsedMs } = this.#watch.clocks;
      const { action, ticket } = command;
      const begunMs = elapsedMs();
      const note = (answer: Omit<AnsweredCommand, 'action' | 'ticket' | 'ms'>) =>
        onAnswer?.({ action, ticket, ...answer, ms: Math.round(elapsedMs() - begunMs) });
      try {
        const answer = await this.#send(terminalId, command, account, signal);
        note(answer);
        return answer;
      } catch (error) {
        note({ retcode: null, message: toBoundedLine(String(error), 256), order: null, deal: null });
        throw error;
      }
    };
    const terminal = { findCurrent: () => this.#findCurrent(terminalId), send, onOrder };
    return closeEverything(terminal, filter, { timing: this.#options.timing, signal });
  }

  /** How many positions and orders that a filter means are open; undefined without current numbers of all of them. */
  countOpen(terminalId: string, filter: CloseFilter): number | undefined {
    const state = this.#findCurrent(terminalId);
    return state && countOpen(state, filter);
  }

  /** Watches and reports, until the signal aborts. */
  async run(intervalMs: number, signal: AbortSignal): Promise<void> {
    const pace = { intervalMs, timing: this.#options.timing };
    await Promise.all([runAccountWatch(this.#watch, pace, signal), runAccountReports(this.#reporter, pace, signal)]);
    this.#watch.close();
  }

  #findCurrent(terminalId: string): WrittenAccount | undefined {
    const seen = this.latestAccount(terminalId);
    const own = this.#watch.findExchange(terminalId)?.findAccount() ?? null;
    // The terminal may have got another account since it was read.
    const isUsable = seen && isCurrent(seen, this.#watch.clocks.elapsedMs()) && isOwnAccount(seen.state, own);
    return isUsable ? seen.state : undefined;
  }

  async #send(terminalId: string, command: Command, state: WrittenAccount, signal: AbortSignal): Promise<Answer> {
    const exchange = this.#watch.findExchange(terminalId);
    if (!exchange) throw new Error('The terminal is not installed.');
    const account = { login: state.login, server: state.server };
    return sendCommand(command, { exchange, account, timing: this.#options.timing }, signal);
  }
}
