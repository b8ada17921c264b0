/**
 * Reports the charts and EAs of terminals to the server: immediately for a terminal whose status changed or whose task
 * ended, within a minute for every other one; unchanged charts are repeated from time to time, so that their age is
 * known. Only the latest report on a terminal matters, so nothing piles up while the server is down.
 */
import { createHash } from 'node:crypto';
import type { ReportedCharts } from '@berth/contract/agent';
import { MAX_TERMINALS_REPORTED, toBoundedCharts } from '@berth/contract/values';
import type { Logger, Timing } from '@berth/kit';
import type { TerminalDriver } from '../../platforms/driver.ts';
import type { ServerCalls } from '../../server/server-calls.ts';
import { isKind } from '../../server/server-error.ts';
import type { TerminalKeeper } from '../../terminals/terminal-keeper.ts';

/** How often a terminal without any events is looked at. */
const LOOK_MS = 60_000;
/** How often unchanged charts are reported again. */
const REPORT_MS = 300_000;
/** A look that takes longer is skipped, and so are later ones until it ends. */
const LOOK_TIMEOUT_MS = 5_000;
/** After a failed call. */
const PAUSE_MS = 15_000;
/** Per call: the server accepts a megabyte. */
const MAX_CALL_BYTES = 768 * 1024;

interface Known {
  lookedAtMs: number;
  /** Digest of what the server has, and since when. */
  digest: string;
  reportedAtMs: number;
}

interface News {
  reported: ReportedCharts;
  sizeBytes: number;
  digest: string;
}

export interface ChartOptions {
  server: Pick<ServerCalls, 'sendCharts'>;
  keeper: Pick<TerminalKeeper, 'list' | 'find'>;
  timing: Timing;
  /** Milliseconds of a monotonic clock. */
  elapsedMs?: () => number;
  log: Logger;
}

/** Groups reports into calls of limited size. */
const toCalls = (news: readonly News[]): News[][] => {
  const calls: News[][] = [];
  let sizeBytes = 0;
  for (const each of news) {
    const last = calls.at(-1);
    sizeBytes += each.sizeBytes;
    if (!last || last.length === MAX_TERMINALS_REPORTED || sizeBytes > MAX_CALL_BYTES) {
      calls.push([each]);
      sizeBytes = each.sizeBytes;
    } else last.push(each);
  }
  return calls;
};

/** Tracks what the server has of each terminal, and which ones are due. */
export class ChartReporter {
  readonly #options: ChartOptions;
  readonly #elapsedMs: () => number;
  readonly #known = new Map<string, Known>();
  readonly #changed = new Set<string>();
  /** Terminals whose look has not finished. */
  readonly #pending = new Set<string>();
  #pausedUntilMs = 0;

  constructor(options: ChartOptions) {
    this.#options = options;
    this.#elapsedMs = options.elapsedMs ?? (() => performance.now());
  }

  /** The terminal may have other charts than before. */
  noteChange(terminalId: string): void {
    this.#changed.add(terminalId);
  }

  /** The server may have lost what was reported. */
  reportAllAgain(): void {
    this.#known.clear();
  }

  /** Looks at the terminals that are due, and reports changes. A busy terminal is looked at when its work is done. */
  async reportNews(signal: AbortSignal): Promise<void> {
    if (this.#elapsedMs() < this.#pausedUntilMs) return;
    const terminals = this.#options.keeper.list();
    this.#forgetAllBut(new Set(terminals.map(({ driver }) => driver.terminalId)));
    const news: News[] = [];
    for (const { driver, isBusy } of terminals) {
      if (signal.aborted) return;
      const reported = isBusy || !this.#isDue(driver.terminalId) ? undefined : await this.#look(driver);
      if (reported && this.#isNew(reported)) news.push(reported);
    }
    for (const call of toCalls(news)) await this.#report(call, signal);
  }

  #forgetAllBut(ids: ReadonlySet<string>): void {
    for (const id of [...this.#known.keys(), ...this.#changed]) {
      if (ids.has(id)) continue;
      this.#known.delete(id);
      this.#changed.delete(id);
    }
  }

  #isDue(terminalId: string): boolean {
    const known = this.#known.get(terminalId);
    return this.#changed.has(terminalId) || !known || this.#elapsedMs() - known.lookedAtMs >= LOOK_MS;
  }

  #isNew({ reported: { terminal_id: id }, digest }: News): boolean {
    const known = this.#known.get(id);
    return known?.digest !== digest || this.#elapsedMs() - known.reportedAtMs >= REPORT_MS;
  }

  async #look(driver: TerminalDriver): Promise<News | undefined> {
    const { timing, log } = this.#options;
    const { terminalId } = driver;
    if (!driver.lookAtCharts || this.#pending.has(terminalId)) return undefined;
    this.#changed.delete(terminalId);
    this.#pending.add(terminalId);
    const looking = driver.lookAtCharts().finally(() => this.#pending.delete(terminalId));
    const enough = new AbortController();
    try {
      const late = timing.sleep(LOOK_TIMEOUT_MS, enough.signal).then(() => undefined);
      const charts = await Promise.race([looking, late]);
      this.#note(terminalId, { lookedAtMs: this.#elapsedMs() });
      if (!charts) return undefined;
      const reported = { terminal_id: terminalId, ...toBoundedCharts(charts) };
      const text = JSON.stringify(reported);
      const digest = createHash('sha256').update(text).digest('hex');
      return { reported, sizeBytes: Buffer.byteLength(text) + 1, digest };
    } catch (error) {
      this.#note(terminalId, { lookedAtMs: this.#elapsedMs() });
      log.debug({ err: error, terminal_id: terminalId }, 'the charts of the terminal could not be read');
      return undefined;
    } finally {
      enough.abort();
      looking.catch(() => undefined);
    }
  }

  #note(terminalId: string, changes: Partial<Known>): void {
    const known = this.#known.get(terminalId) ?? { lookedAtMs: 0, digest: '', reportedAtMs: 0 };
    this.#known.set(terminalId, { ...known, ...changes });
  }

  async #report(call: readonly News[], signal: AbortSignal): Promise<void> {
    const { server, log } = this.#options;
    const ids = call.map(({ reported }) => reported.terminal_id);
    try {
      const tooSoon = new Set(
        await server.sendCharts(
          call.map(({ reported }) => reported),
          signal,
        ),
      );
      for (const { reported, digest } of call) {
        if (tooSoon.has(reported.terminal_id)) this.noteChange(reported.terminal_id);
        else this.#note(reported.terminal_id, { digest, reportedAtMs: this.#elapsedMs() });
      }
    } catch (error) {
      // The heartbeat gets a fatal answer as well, which ends the service.
      log.debug({ err: error }, 'charts were not reported');
      // What the server refuses now, it would refuse again.
      if (isKind(error, 'refused')) {
        for (const { reported, digest } of call)
          this.#note(reported.terminal_id, { digest, reportedAtMs: this.#elapsedMs() });
        return;
      }
      for (const id of ids) this.noteChange(id);
      this.#pausedUntilMs = this.#elapsedMs() + PAUSE_MS;
    }
  }
}

/** Checks every `intervalMs` whether a terminal is due. Resolves when the signal aborts. */
export const runChartLoop = async (
  { charts, intervalMs, timing }: { charts: ChartReporter; intervalMs: number; timing: Timing },
  signal: AbortSignal,
): Promise<void> => {
  while (!signal.aborted) {
    await charts.reportNews(signal);
    await timing.sleep(intervalMs, signal);
  }
};
