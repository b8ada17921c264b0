/** What the guard exchanges with the server: rules that have changed, and what it has to say. It guards without both. */
import { type Logger, type Timing, toBackoffMs, Wakeup } from '@berth/kit';
import type { RiskGuard } from '../../risk/risk-guard.ts';
import type { ServerCalls } from '../../server/server-calls.ts';

/** How often what does not have to be sent at once is sent. */
const REPORT_MS = 1_000;
const BACKOFF = { baseMs: 1_000, maxMs: 30_000 };

export interface RiskLoopOptions {
  server: Pick<ServerCalls, 'readRiskRules' | 'reportRisk'>;
  guard: RiskGuard;
  timing: Timing;
  log: Logger;
}

/** Reads the rules whenever the server says that it has others. */
export class RiskRuleReader {
  readonly #options: RiskLoopOptions;
  readonly #wanted = new Wakeup();
  #version: number | undefined;

  constructor(options: RiskLoopOptions) {
    this.#options = options;
  }

  /** The server says which version it has; undefined: no terminal here has rules, or had any. */
  noteVersion(version: number | undefined): void {
    if (version === undefined || version === this.#version) return;
    this.#wanted.wake();
  }

  /** The server says that the rules have changed. */
  noteChange(): void {
    this.#version = undefined;
    this.#wanted.wake();
  }

  /** Reads whenever there is something to read. Resolves when the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { server, guard, timing, log } = this.#options;
    let failures = 0;
    for (;;) {
      await this.#wanted.wait(signal);
      if (signal.aborted) return;
      try {
        const rules = await server.readRiskRules(signal);
        await guard.setRules(rules);
        this.#version = rules.risk_version;
        failures = 0;
        log.info({ version: rules.risk_version, rules: rules.rules.length }, 'the risk rules have changed');
      } catch (error) {
        // The heartbeat gets a fatal answer as well, which ends the service.
        log.warn({ err: error }, 'the risk rules could not be read; those of before apply');
        await timing.sleep(toBackoffMs(failures++, { ...BACKOFF, random: timing.random }), signal);
        this.#wanted.wake();
      }
    }
  }
}

/** Reports what the guard has to say, until it is acknowledged. Resolves when the signal aborts. */
export const runRiskReports = async (
  { server, guard: { news }, timing, log }: RiskLoopOptions,
  signal: AbortSignal,
): Promise<void> => {
  let failures = 0;
  while (!signal.aborted) {
    const report = news.take();
    try {
      if (report) news.acknowledge(report, await server.reportRisk(report, signal));
      failures = 0;
    } catch (error) {
      log.debug({ err: error }, 'what the guard has to say was not reported');
      await timing.sleep(toBackoffMs(failures++, { ...BACKOFF, random: timing.random }), signal);
      continue;
    }
    void timing.sleep(REPORT_MS, signal).then(() => news.wake());
    await news.wait(signal);
  }
};
