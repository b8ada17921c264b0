import type { Queryable } from '../db/database.ts';

/** What a handler that creates gets: the way to its transaction. */
export interface Creation {
  /** True when the work runs in a transaction anyway, because the answer is stored in it. */
  readonly hasKey: boolean;
  /** Runs the work in the transaction that stores the answer, or without a key in one of its own. */
  within: <Result>(work: (tx: Queryable) => Promise<Result>) => Promise<Result>;
  /** For wake-ups, which must not come before what they tell of. */
  afterCommit: (callback: () => void) => void;
}
