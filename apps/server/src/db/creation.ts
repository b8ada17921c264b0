import type { Transaction } from './database.ts';

/** What a handler that creates something receives: access to its transaction. */
export interface Creation {
  /** True when the work runs in a transaction anyway, because the answer is stored in it. */
  readonly hasKey: boolean;
  /** Runs the work in the transaction that stores the answer, or without a key in one of its own. */
  within: <Result>(work: (tx: Transaction) => Promise<Result>) => Promise<Result>;
}
