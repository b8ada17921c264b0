/**
 * The breaches of one terminal that are held: what is opened meanwhile is closed under the same breach. One is over when the
 * rule says so on numbers of now, or when people end it. What could not be closed is tried again when something else is open,
 * when its prices move, which shows that its session has begun, and from time to time.
 */
import type { GuardRule } from '@berth/contract/agent';
import { isSameAccount, type AccountName } from '@berth/contract/values';
import { hasExposure } from '@berth/risk';
import { endBreach, isHolding, type GuardBreach } from './guard-breach.ts';
import type { SeenNumbers } from './rule-state.ts';

const RETRY_MS = 60_000;
/** Prices move all the time where a broker closes nothing for another reason. */
const RETRY_MOVED_MS = 5_000;

interface Tried {
  atMs: number;
  tickets: string;
  prices: string;
}

export interface HeldLook {
  rule: GuardRule;
  account: AccountName;
  /** The breach of the rule that is not over. */
  standing: string | null;
  numbers: SeenNumbers;
  elapsedMs: number;
}

const toOpen = ({ describeOpen }: SeenNumbers) => describeOpen?.() ?? { tickets: '', prices: '' };

export class HeldBreaches {
  readonly #record: { breaches: GuardBreach[] };
  readonly #tried = new Map<string, Tried>();
  #rules: readonly GuardRule[] = [];
  #released: ReadonlySet<string> | undefined;

  constructor(record: { breaches: GuardBreach[] }) {
    this.#record = record;
  }

  /**
   * Rules that are gone, or do not close any more, hold nothing; nor does what a person has released.
   * @param released undefined: the server does not know of it
   */
  apply(rules: readonly GuardRule[], released: ReadonlySet<string> | undefined): void {
    this.#rules = rules;
    this.#released = released;
    for (const breach of this.#record.breaches.filter(isHolding)) if (this.#isReleased(breach)) this.#end(breach);
    this.endWithoutRule();
  }

  /** A rule may be gone while its breach acts, which then holds nothing afterwards. @returns whether any has ended */
  endWithoutRule(): boolean {
    const holds = ({ report }: GuardBreach) =>
      this.#rules.some(({ id, actions }) => id === report.rule_id && actions.includes('close_all'));
    const over = this.#record.breaches.filter((breach) => isHolding(breach) && !holds(breach));
    for (const breach of over) this.#end(breach);
    return over.length > 0;
  }

  /** A lock ends at the server. Where that does not say so, nobody could end what is held with it. */
  #isReleased({ report, actions }: GuardBreach): boolean {
    return this.#released ? this.#released.has(report.id) : actions.includes('lock');
  }

  /** @param look numbers on which the rule may decide @returns what has to be closed again, and whether any is over */
  look({ rule, account, standing, numbers, elapsedMs }: HeldLook): { exposed: GuardBreach[]; hasEnded: boolean } {
    const ofRule = (breach: GuardBreach) =>
      breach.report.rule_id === rule.id && (!breach.account || isSameAccount(breach.account, account));
    const held = this.#record.breaches.filter((breach) => isHolding(breach) && ofRule(breach));
    const over = held.filter((breach) => breach.report.id !== standing || this.#isReleased(breach));
    for (const breach of over) this.#end(breach);
    // An agent may have been killed before it switched algo trading off again.
    const isExposed = (breach: GuardBreach) => hasExposure(numbers) || breach.isSwitchedOn === true;
    const exposed = held.filter(
      (breach) => isHolding(breach) && isExposed(breach) && this.#isDue(breach.report.id, numbers, elapsedMs),
    );
    return { exposed, hasEnded: over.length > 0 };
  }

  /** It was tried to close what is open in these numbers. */
  noteTried(id: string, numbers: SeenNumbers, elapsedMs: number): void {
    this.#tried.set(id, { atMs: elapsedMs, ...toOpen(numbers) });
  }

  #isDue(id: string, numbers: SeenNumbers, elapsedMs: number): boolean {
    const tried = this.#tried.get(id);
    if (!tried) return true;
    const { tickets, prices } = toOpen(numbers);
    const sinceMs = elapsedMs - tried.atMs;
    if (tickets !== tried.tickets || sinceMs >= RETRY_MS) return true;
    return prices !== tried.prices && sinceMs >= RETRY_MOVED_MS;
  }

  #end(breach: GuardBreach): void {
    this.#tried.delete(breach.report.id);
    endBreach(breach);
  }
}
