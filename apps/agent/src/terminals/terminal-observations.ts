import type { AgentEvent } from '@berth/contract/agent';
import { cutText, isSingleLine, NOT_RUNNING, TerminalStatus, toSingleLine } from '@berth/contract/values';
import type { Clock } from '@berth/kit';
import type { Observation, TerminalDriver } from '../platforms/driver.ts';
import type { ReportOutbox } from '../server/report-outbox.ts';

const MAX_REASON_LENGTH = 500;
const MAX_PATH_LENGTH = 1024;

/** One line without control characters, as the protocol requires. */
const toReason = (text: string): string =>
  cutText(toSingleLine(text).replace(/\p{C}+/gu, ' '), MAX_REASON_LENGTH).trim();

/** Whether the protocol can carry it: a report with anything else would be refused, and the status with it. */
const isSayable = (path: string): boolean => isSingleLine(path) && path.length <= MAX_PATH_LENGTH;

/**
 * What is reported of a terminal: its driver's last observation, except that a dead process is neither connected nor
 * connecting. While a job is running the driver knows better: it may have stopped the process on purpose.
 */
export const toReportedObservation = (driver: TerminalDriver, isBusy: boolean): Observation | undefined => {
  const seen = driver.observe();
  const isDead = !isBusy && driver.shouldRun() && !driver.isAlive();
  const { CONNECTING, ACTIVE, DISCONNECTED } = TerminalStatus;
  if (!seen || !isDead || (seen.status !== CONNECTING && seen.status !== ACTIVE)) return seen;
  const exit = { code: null, signal: null };
  return { ...seen, status: DISCONNECTED, reason: `${NOT_RUNNING}: it ended. It is being started again.`, exit };
};

/** Puts observations into the outbox: changes immediately, unchanged ones only on request. */
export class TerminalObservations {
  readonly #outbox: ReportOutbox;
  readonly #clock: Clock;
  readonly #last = new Map<string, string>();

  constructor(outbox: ReportOutbox, clock: Clock) {
    this.#outbox = outbox;
    this.#clock = clock;
  }

  /** @param evenIfUnchanged true renews `synced_at` at the server */
  report(terminalId: string, { status, reason, path, trading, exit }: Observation, evenIfUnchanged = false): void {
    const line = reason === null ? '' : toReason(reason);
    const place = path !== undefined && isSayable(path) ? { path } : {};
    const facts = { status, ...(line ? { reason: line } : {}), ...place, ...trading, ...(exit ? { exit } : {}) };
    const text = JSON.stringify(facts);
    if (!evenIfUnchanged && this.#last.get(terminalId) === text) return;
    this.#last.set(terminalId, text);
    const event: AgentEvent = { kind: 'terminal', at: this.#clock.now(), terminal_id: terminalId, ...facts };
    this.#outbox.push(event);
  }

  forget(terminalId: string): void {
    this.#last.delete(terminalId);
  }

  /** Reports the current observation of each of these terminals. */
  reportAll(terminals: { driver: TerminalDriver; isBusy: boolean }[], evenIfUnchanged: boolean): void {
    for (const { driver, isBusy } of terminals) {
      const observation = toReportedObservation(driver, isBusy);
      if (observation) this.report(driver.terminalId, observation, evenIfUnchanged);
    }
  }
}
