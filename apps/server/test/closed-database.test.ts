import { createTestDatabase } from '@berth/testing';
import { createLogger } from '@berth/kit';
import { expect, test } from 'vitest';
import { PostgresAddress } from '../src/db/address.ts';
import { Database, sql } from '../src/db/database.ts';

const ONE = sql('', 'select 1 as one');

test('a database that was closed refuses what comes late, whichever way, and opens no connection for it', async () => {
  const database = await createTestDatabase();
  const log = createLogger({ name: 'test', level: 'error' });
  const db = new Database({ address: new PostgresAddress(database.url, log), log });
  const writes = db.createWritePipeline('durable');
  const neverUsed = db.createWritePipeline('asyncCommit');
  const ways = [db, writes, db.slow, db.listsFor('ada'), db.slowFor('ada')];
  for (const way of ways) expect(await way.query(ONE)).toEqual([{ one: 1 }]);
  expect(await db.transaction((tx) => tx.query(ONE))).toEqual([{ one: 1 }]);
  const underWay = db.query(sql('', 'select 2 as two from pg_sleep(0.1)'));
  const closed = db.close();
  expect(await underWay).toEqual([{ two: 2 }]);
  await closed;
  for (const way of [...ways, neverUsed]) await expect(way.query(ONE)).rejects.toThrow();
  await expect(db.transaction((tx) => tx.query(ONE))).rejects.toThrow();
  // Fails when a connection was left open.
  await database.close();
});
