import { type Queryable, type Store } from '@berth/testing/simulation';
import type { MemoryDatabase } from './memory-database.ts';

/** The database in memory as the server's own code wants it: every write pipeline is the same. */
export const toStore = (database: MemoryDatabase): Store & { slow: Queryable } => {
  const queryable: Queryable = { query: (statement, values) => database.query(statement, values) };
  return {
    ...queryable,
    slow: queryable,
    createWritePipeline: () => ({
      ...queryable,
      transact: (calls) => database.transaction((tx) => Promise.all(calls.map((call) => tx.query<object>(...call)))),
    }),
    transaction: async (callback) => {
      const committed: (() => void)[] = [];
      const result = await database.transaction((tx) =>
        callback({ ...tx, afterCommit: (then) => void committed.push(then) }),
      );
      for (const then of committed) then();
      return result;
    },
  };
};
