/**
 * Tells who watches that accounts have other numbers: at most once per second and terminal, and so many terminals of a user
 * per second; where there are more, they take turns. What waits is the last state of each, so it is bounded by the number
 * of terminals. Where nobody watches, nothing gets here.
 */
import { AccountFigures, type AccountState } from '@berth/contract';
import type { Logger } from '@berth/kit';
import { sql, type Queryable } from '../db/database.ts';

const EVERY_MS = 1_000;
/** Of one user, per second: a list shows a hundred. */
const MAX_PER_USER = 200;
/** Of all users: each is a notification of PostgreSQL to every server. */
const MAX_TOTAL = 2_000;

/** Together, because each notification of a transaction is compared with all others. */
const announceStatement = sql(
  'announce_accounts',
  `select announce(array_agg(n.user_id), 'account.updated', array_agg(n.data))
   from unnest($1::uuid[], $2::json[]) as n (user_id, data)`,
);

type Figures = typeof AccountFigures.properties;
const names = Object.keys(AccountFigures.properties) as (keyof Figures)[];

/** A state that somebody watches. */
export interface WatchedState {
  userId: string;
  terminalId: string;
  state: AccountState;
}

/** The newest state of each terminal, by user, until it is told. */
export class LiveAccounts {
  readonly #db: Queryable;
  readonly #log: Logger;
  readonly #users = new Map<string, Map<string, string>>();
  #timer: NodeJS.Timeout | undefined;

  constructor(db: Queryable, log: Logger) {
    this.#db = db;
    this.#log = log;
  }

  /** A terminal that waits already keeps its turn, with the newer numbers. */
  add(watched: readonly WatchedState[], nowMs: number): void {
    for (const { userId, terminalId, state } of watched) {
      const seen = { ...state, seen_at: new Date(nowMs - state.age_ms).toISOString() };
      const figures = Object.fromEntries(names.map((name) => [name, seen[name]]));
      const terminals = this.#users.get(userId) ?? new Map<string, string>();
      this.#users.set(userId, terminals.set(terminalId, JSON.stringify({ id: terminalId, ...figures })));
    }
    if (this.#timer === undefined) this.#wait();
  }

  #wait(): void {
    this.#timer = this.#users.size > 0 ? setTimeout(() => void this.#tell(), EVERY_MS).unref() : undefined;
  }

  #takeTurns(): { userIds: string[]; data: string[] } {
    const [userIds, data]: [string[], string[]] = [[], []];
    const share = Math.max(1, Math.min(MAX_PER_USER, Math.floor(MAX_TOTAL / this.#users.size)));
    for (const [userId, terminals] of this.#users) {
      for (const [terminalId, text] of [...terminals].slice(0, share)) {
        userIds.push(userId);
        data.push(text);
        terminals.delete(terminalId);
      }
      if (terminals.size === 0) this.#users.delete(userId);
      if (userIds.length >= MAX_TOTAL) break;
    }
    return { userIds, data };
  }

  async #tell(): Promise<void> {
    const { userIds, data } = this.#takeTurns();
    try {
      await this.#db.query(announceStatement, [userIds, data]);
    } catch (error) {
      // The next state is a second away.
      this.#log.debug({ err: error }, 'states of accounts could not be told to those who watch');
    }
    this.#wait();
  }
}
