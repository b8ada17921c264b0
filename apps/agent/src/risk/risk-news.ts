/**
 * What the server does not know yet: states, which are repeated from time to time, and warnings and breaches, which are
 * repeated until the server acknowledges them. Nothing piles up while it is away: a terminal has one state per rule, and
 * its warnings and breaches are bounded.
 */
import { MAX_REPORTED_BREACHES, MAX_REPORTED_RISK_STATES, MAX_REPORTED_WARNINGS } from '@berth/contract/values';
import { Wakeup } from '@berth/kit';
import type { RiskReport } from '../server/server-calls.ts';
import type { GuardedTerminal } from './guarded-terminal.ts';

export class RiskNews {
  readonly #terminals: ReadonlyMap<string, GuardedTerminal>;
  readonly #elapsedMs: () => number;
  readonly #onAcknowledged: (terminalId: string) => void;
  /** Breaches as the server has them. */
  readonly #known = new Map<string, string>();
  readonly #wakeup = new Wakeup();

  /** @param onAcknowledged called when the record of a terminal has become smaller */
  constructor(
    terminals: ReadonlyMap<string, GuardedTerminal>,
    elapsedMs: () => number,
    onAcknowledged: (terminalId: string) => void,
  ) {
    this.#terminals = terminals;
    this.#elapsedMs = elapsedMs;
    this.#onAcknowledged = onAcknowledged;
  }

  /** There is something that must not wait. */
  wake(): void {
    this.#wakeup.wake();
  }

  /** Resolves when there is something that must not wait, or when the signal aborts. */
  wait(signal: AbortSignal): Promise<void> {
    return this.#wakeup.wait(signal);
  }

  /** Whether the server has heard of a breach. What has ended and is forgotten here, it has. */
  isKnown(breachId: string): boolean {
    if (this.#known.has(breachId)) return true;
    return ![...this.#terminals.values()].some(({ record }) =>
      record.breaches.some(({ report }) => report.id === breachId),
    );
  }

  /** What one call can carry of it, as it is now; undefined: there is nothing. */
  take(): RiskReport | undefined {
    const elapsedMs = this.#elapsedMs();
    const report: RiskReport = { states: [], warnings: [], breaches: [] };
    for (const terminal of this.#terminals.values()) {
      const { breaches, warnings } = terminal.record;
      const unknown = breaches.filter((breach) => this.#known.get(breach.report.id) !== JSON.stringify(breach.report));
      report.breaches.push(...unknown.map((breach) => structuredClone(breach.report)));
      report.warnings.push(...warnings);
      report.states.push(...terminal.listNews(elapsedMs));
    }
    const bounded = {
      states: report.states.slice(0, MAX_REPORTED_RISK_STATES),
      warnings: report.warnings.slice(0, MAX_REPORTED_WARNINGS),
      breaches: report.breaches.slice(0, MAX_REPORTED_BREACHES),
    };
    return Object.values(bounded).some(({ length }) => length > 0) ? bounded : undefined;
  }

  /** The server has the states of the report, and what it acknowledges besides. */
  acknowledge({ states, breaches }: RiskReport, acknowledged: readonly string[]): void {
    const ids = new Set(acknowledged);
    const elapsedMs = this.#elapsedMs();
    for (const state of states) this.#terminals.get(state.terminal_id)?.noteReported(state, elapsedMs);
    for (const breach of breaches) if (ids.has(breach.id)) this.#known.set(breach.id, JSON.stringify(breach));
    for (const { terminalId, record } of this.#terminals.values()) {
      const isOpen = (id: string, text: string) => !ids.has(id) || this.#known.get(id) !== text;
      const left = {
        warnings: record.warnings.filter(({ id }) => !ids.has(id)),
        breaches: record.breaches.filter(
          ({ report }) => !report.has_ended || isOpen(report.id, JSON.stringify(report)),
        ),
      };
      const before = record.warnings.length + record.breaches.length;
      if (left.warnings.length + left.breaches.length === before) continue;
      for (const { report } of record.breaches)
        if (!left.breaches.some((each) => each.report === report)) this.#known.delete(report.id);
      Object.assign(record, left);
      this.#onAcknowledged(terminalId);
    }
  }

  /** The server may have lost what was reported. */
  reportAgain(): void {
    for (const terminal of this.#terminals.values()) terminal.reportAgain();
  }
}
