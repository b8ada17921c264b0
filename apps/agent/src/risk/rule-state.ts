/** What is reported of rules, and when it has changed. */
import type { GuardRule, ReportedRiskState } from '@berth/contract/agent';
import type { TradeDenial } from '@berth/contract/values';
import type { AccountNumbers } from '@berth/risk';

/** The numbers of an account, as they were seen. */
export interface SeenNumbers extends Omit<AccountNumbers, 'ageMs'> {
  /** What stands against orders; absent: not known. */
  deniedBy?: readonly TradeDenial[] | undefined;
  /** What else the terminal reported, for evidence. Absent: not known. */
  describeReport?: (() => object) | undefined;
  /** What is open: its tickets, and its prices. Absent: not known. */
  describeOpen?: (() => { tickets: string; prices: string }) | undefined;
}

/** How often unchanged numbers are reported again: their age says whether the rule watches. */
const REPORT_UNCHANGED_MS = 30_000;
/** How often changed ones are. */
const REPORT_CHANGED_MS = 5_000;

/**
 * Whether orders of the rule would be taken, as the terminal says before any is sent. Algo trading that is off does not
 * stand against them: it is switched on to close. A rule that trades nothing can always act.
 */
export const toAbility = (
  { actions }: GuardRule,
  numbers: SeenNumbers | undefined,
): Pick<ReportedRiskState, 'can_act' | 'trade_denied_by'> => {
  if (!numbers?.deniedBy) return {};
  const can_act = !actions.includes('close_all') || numbers.deniedBy.every((denial) => denial === 'terminal');
  return { can_act, trade_denied_by: [...numbers.deniedBy] };
};

const toDigest = ({ used, limit, marks, trade_denied_by: denied }: ReportedRiskState): string => {
  const { high_water, days, breach_id, beyond_since } = marks ?? {};
  return JSON.stringify([used, limit, high_water, days, breach_id, beyond_since, denied]);
};
/** Changes of these are reported at once. */
const toUrgent = ({ blind, marks }: ReportedRiskState): string => `${blind} ${marks?.reset}`;

interface SeenState {
  state: ReportedRiskState;
  reported: { digest: string; urgent: string; atMs: number };
}

/** How the rules of one terminal fare, and what of it the server does not know. */
export class RuleStates {
  readonly #seen = new Map<string, SeenState>();

  find(ruleId: string): ReportedRiskState | undefined {
    return this.#seen.get(ruleId)?.state;
  }

  see(state: ReportedRiskState): void {
    const known = this.#seen.get(state.rule_id);
    if (known) known.state = state;
    else this.#seen.set(state.rule_id, { state, reported: { digest: '', urgent: '', atMs: -Infinity } });
  }

  keepOnly(ruleIds: ReadonlySet<string>): void {
    for (const id of this.#seen.keys()) if (!ruleIds.has(id)) this.#seen.delete(id);
  }

  /** States that the server should know. */
  listNews(elapsedMs: number): ReportedRiskState[] {
    return [...this.#seen.values()].flatMap(({ state, reported: { digest, urgent, atMs } }) => {
      const isDue = elapsedMs - atMs >= (toDigest(state) === digest ? REPORT_UNCHANGED_MS : REPORT_CHANGED_MS);
      return isDue || toUrgent(state) !== urgent ? [state] : [];
    });
  }

  /** The server has it. */
  noteReported(state: ReportedRiskState, elapsedMs: number): void {
    const known = this.#seen.get(state.rule_id);
    if (known) known.reported = { digest: toDigest(state), urgent: toUrgent(state), atMs: elapsedMs };
  }

  /** The server may have lost what was reported. */
  reportAgain(): void {
    for (const { reported } of this.#seen.values()) reported.atMs = -Infinity;
  }
}
