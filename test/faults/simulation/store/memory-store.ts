import { runTransaction, type Queryable, type Store } from '@berth/testing/simulation';
import type { MemoryDatabase } from './memory-database.ts';

/** The database in memory as the server's own code wants it: every lane is the same. */
export const toStore = (database: MemoryDatabase): Store & { slow: Queryable } => {
  const queryable: Queryable = { query: (statement, values) => database.query(statement, values) };
  return {
    ...queryable,
    slow: queryable,
    createLane: () => queryable,
    transaction: async (callback) => {
      const committed: (() => void)[] = [];
      const result = await database.transaction((tx) =>
        runTransaction(tx, callback, (then) => void committed.push(then)),
      );
      for (const then of committed) then();
      return result;
    },
  };
};
