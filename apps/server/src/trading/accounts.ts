/** What hosts report of accounts: states, which are frequent and worth little each, and deals, of which none may be lost. */
import { ACCOUNT_CURRENT_MS, type AccountRefusal, type DealCursor, type ReportedAccount } from '@berth/contract';
import { FairSemaphore, type Clock, type Logger } from '@berth/kit';
import type { Queryable, Store } from '../db/database.ts';
import type { Times } from '../times.ts';
import { readCursors, takeDeals } from './deals.ts';
import { LiveAccounts } from './live-accounts.ts';
import { AccountTaking, type TakenStates } from './taking.ts';

/** One call of a host at a time; each is a megabyte at most. A host that sends more is told to retry later. */
const CALLS = { places: 64, perOwner: 1, maxWaiting: 2 };
/** Deals have transactions of their own, of which others need some. */
const DEALS = { places: 2, perOwner: 1, maxWaiting: 2 };

export interface AccountReportsParts {
  db: Store;
  clock: Clock;
  log: Logger;
  times: Times;
}

/** What the host learns. */
export interface AccountAnswer {
  too_soon: string[];
  refused: { terminal_id: string; reason: AccountRefusal }[];
  cursors: DealCursor[];
}

type WithState = ReportedAccount & { state: NonNullable<ReportedAccount['state']> };
type WithDeals = ReportedAccount & { deals: NonNullable<ReportedAccount['deals']> };

const hasState = (each: ReportedAccount): each is WithState => each.state !== undefined;
const hasDeals = (each: ReportedAccount): each is WithDeals => each.deals !== undefined;
const isCurrent = ({ state }: WithState): boolean => state.age_ms <= ACCOUNT_CURRENT_MS;

const noStates: TakenStates = { tooSoon: [], refused: [], cursors: [], watched: [] };

export class AccountReports {
  readonly #parts: AccountReportsParts;
  readonly #taking: AccountTaking;
  readonly #live: LiveAccounts;
  readonly #writes: Queryable;
  readonly #slots = new FairSemaphore(CALLS);
  readonly #dealSlots = new FairSemaphore(DEALS);

  constructor(parts: AccountReportsParts) {
    this.#parts = parts;
    this.#taking = new AccountTaking(parts.db, parts.times);
    this.#writes = parts.db.createWritePipeline('asyncCommit');
    this.#live = new LiveAccounts(this.#writes, parts.log);
  }

  /** @throws TooManyWaitingError */
  take(hostId: string, reported: readonly ReportedAccount[]): Promise<AccountAnswer> {
    return this.#slots.run(hostId, () => this.#take(hostId, reported));
  }

  async #take(hostId: string, reported: readonly ReportedAccount[]): Promise<AccountAnswer> {
    const states = reported.filter(hasState);
    const fresh = states.filter(isCurrent);
    const taken = fresh.length === 0 ? noStates : await this.#taking.add({ hostId, reported: fresh });
    this.#live.add(
      taken.watched.map(({ userId, reported: { terminal_id: terminalId, state } }) => ({ userId, terminalId, state })),
      this.#parts.clock.now(),
    );
    const withDeals = reported.filter(hasDeals);
    const deals =
      withDeals.length === 0
        ? { cursors: [], refused: [] }
        : await this.#dealSlots.run(hostId, () => this.#parts.db.transaction((tx) => takeDeals(tx, hostId, withDeals)));
    const asking = reported.filter((each) => !hasState(each) && !hasDeals(each));
    const asked = await readCursors(this.#writes, hostId, asking);
    const old = states.filter((each) => !isCurrent(each)).map(({ terminal_id }) => terminal_id);
    // What was taken just now is newer than what the states were compared with.
    const cursors = new Map([...taken.cursors, ...asked, ...deals.cursors].map((each) => [each.terminal_id, each]));
    return {
      too_soon: taken.tooSoon,
      refused: [
        ...taken.refused,
        ...old.map((terminal_id) => ({ terminal_id, reason: 'old_numbers' as const })),
        ...deals.refused,
      ],
      cursors: [...cursors.values()],
    };
  }
}
