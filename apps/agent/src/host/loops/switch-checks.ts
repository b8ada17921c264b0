/**
 * Checks on which terminals algo trading could be turned off, when the server asks, and reports it. Nothing is switched.
 * What gets lost is asked for again, so nothing piles up while the server is down.
 */
import type { SwitchCheck } from '@berth/contract/agent';
import { MAX_SWITCH_CHECKS, MAX_SWITCH_CHECK_MS, MAX_SWITCH_PROBLEM, toBoundedLine } from '@berth/contract/values';
import { type Logger, type Timing, Wakeup } from '@berth/kit';
import type { TerminalDriver } from '../../platforms/driver.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import type { TerminalKeeper } from '../../terminals/terminal-keeper.ts';

/** Also while a task operates the terminal's window, which the check has to wait for. */
const CHECK_MS = 10_000;
const TOO_LATE = 'It did not answer within 10 s.';
const FAILED = 'The check failed.';

export interface SwitchCheckOptions {
  server: Pick<ServerCalls, 'reportChecks'>;
  keeper: Pick<TerminalKeeper, 'find'>;
  /** Checks that may run at once: as many as tasks. */
  slots: number;
  timing: Timing;
  /** Milliseconds of a monotonic clock. */
  elapsedMs?: () => number;
  log: Logger;
}

export class SwitchChecks {
  readonly #options: SwitchCheckOptions;
  readonly #elapsedMs: () => number;
  /** Terminals whose turn has not come, and when each was asked for last. */
  readonly #asked = new Map<string, number>();
  /** Checks that have not ended, also those that took too long: none is started a second time. */
  readonly #pending = new Map<string, Promise<string | null>>();
  readonly #ended: SwitchCheck[] = [];
  readonly #work = new Wakeup();
  readonly #news = new Wakeup();
  #running = 0;

  constructor(options: SwitchCheckOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /** The server asks for these terminals. Those that this host does not have are left out. */
  ask(terminalIds: readonly string[]): void {
    const nowMs = this.#elapsedMs();
    for (const id of terminalIds) this.#asked.set(id, nowMs);
    this.#work.wake();
  }

  /** Checks and reports what is asked for. Resolves when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#checkAsked(signal), this.#reportEnded(signal)]);
  }

  async #checkAsked(signal: AbortSignal): Promise<void> {
    const { keeper, slots } = this.#options;
    for (;;) {
      await this.#work.wait(signal);
      if (signal.aborted) return;
      for (const [id, askedAtMs] of this.#asked) {
        if (this.#running >= slots) break;
        this.#asked.delete(id);
        const driver = keeper.find(id);
        if (driver?.checkSwitch) void this.#check(driver, askedAtMs, signal);
      }
      this.#news.wake();
    }
  }

  /** Several in one call: when all that was asked for has ended, or a call is full. */
  async #reportEnded(signal: AbortSignal): Promise<void> {
    const { server, log } = this.#options;
    for (;;) {
      await this.#news.wait(signal);
      while (!signal.aborted && this.#isCallReady()) {
        // The heartbeat gets a fatal answer as well, which ends the service.
        await server.reportChecks(this.#ended.splice(0, MAX_SWITCH_CHECKS), signal).catch((error: unknown) => {
          log.debug({ err: error }, 'switch checks were lost');
        });
      }
      if (signal.aborted) return;
    }
  }

  #isCallReady(): boolean {
    const isDone = this.#running === 0 && this.#asked.size === 0;
    return this.#ended.length >= MAX_SWITCH_CHECKS || (isDone && this.#ended.length > 0);
  }

  async #check(driver: TerminalDriver, askedAtMs: number, signal: AbortSignal): Promise<void> {
    this.#running += 1;
    const problem = await this.#findProblem(driver, signal);
    this.#running -= 1;
    const ms = Math.min(MAX_SWITCH_CHECK_MS, Math.round(this.#elapsedMs() - askedAtMs));
    this.#ended.push({ terminal_id: driver.terminalId, ms, problem });
    this.#work.wake();
  }

  /** One that is still pending from before is waited for again. */
  async #findProblem(driver: TerminalDriver, signal: AbortSignal): Promise<string | null> {
    const enough = new AbortController();
    const stop = () => enough.abort();
    signal.addEventListener('abort', stop);
    try {
      const late = this.#options.timing.sleep(CHECK_MS, enough.signal).then(() => TOO_LATE);
      return await Promise.race([this.#pending.get(driver.terminalId) ?? this.#begin(driver), late]);
    } finally {
      signal.removeEventListener('abort', stop);
      stop();
    }
  }

  #begin(driver: TerminalDriver): Promise<string | null> {
    const { terminalId } = driver;
    const checking = this.#askDriver(driver).finally(() => this.#pending.delete(terminalId));
    this.#pending.set(terminalId, checking);
    return checking;
  }

  async #askDriver(driver: TerminalDriver): Promise<string | null> {
    try {
      const problem = (await driver.checkSwitch?.()) ?? null;
      return problem === null ? null : toBoundedLine(problem, MAX_SWITCH_PROBLEM) || FAILED;
    } catch (error) {
      // The message may have paths of the host.
      this.#options.log.debug({ err: error, terminal_id: driver.terminalId }, 'the switch could not be checked');
      return FAILED;
    }
  }
}
