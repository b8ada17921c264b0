/** Connections for streams of writes: statements that are sent together are one transaction, and no others are in it. */
import { createTestDatabase, waitFor, type TestDatabase } from '@berth/testing';
import { createLogger } from '@berth/kit';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { PostgresAddress } from '../src/db/address.ts';
import { Database, sql, type WritePipeline } from '../src/db/database.ts';

let database: TestDatabase;
let db: Database;
let writes: WritePipeline;
beforeAll(async () => {
  database = await createTestDatabase();
  const log = createLogger({ name: 'test', level: 'silent' });
  db = new Database({ address: new PostgresAddress(database.url, log), log });
  writes = db.createWritePipeline('durable');
  await db.query(sql('', 'create table notes (note text primary key check (length(note) < 5), tx text not null)'));
});
afterAll(async () => {
  await db.close();
  await database.close();
});
beforeEach(() => db.query(sql('', 'delete from notes')));

const insert = sql('test_insert_note', 'insert into notes values ($1, pg_current_xact_id()::text) returning note');
const list = sql('test_list_notes', 'select note, tx from notes order by note');
const readNotes = () => db.query<{ note: string; tx: string }>(list);

it('statements that are sent together are one transaction, in which a later one finds what an earlier one wrote', async () => {
  const [first, second, found] = await writes.transact([
    [insert, ['one']],
    [insert, ['two']],
    [list, []],
  ]);
  expect([first, second]).toEqual([[{ note: 'one' }], [{ note: 'two' }]]);
  expect(found).toEqual(await readNotes());
  expect(new Set((await readNotes()).map(({ tx }) => tx)).size).toBe(1);
});

it('where one of the statements that are sent together fails, all of them are undone, and nothing that is sent beside them', async () => {
  const beside = [writes.query(insert, ['a']), writes.query(insert, ['b'])];
  const together = writes.transact([
    [insert, ['one']],
    [insert, ['too long']],
    [insert, ['two']],
  ]);
  beside.push(writes.query(insert, ['c']), writes.query(insert, ['d']));
  await expect(together).rejects.toThrow('notes_note_check');
  await Promise.all(beside);
  const notes = await readNotes();
  expect(notes.map(({ note }) => note)).toEqual(['a', 'b', 'c', 'd']);
  expect(new Set(notes.map(({ tx }) => tx)).size).toBe(4);
});

it('a connection that ended with statements under way that were sent together is replaced, and nothing of them is left', async () => {
  const wait = sql('', 'select pg_sleep(60)');
  const together = writes.transact([
    [insert, ['one']],
    [wait, []],
  ]);
  together.catch(() => undefined);
  const kill = sql('', `select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(60)'`);
  await waitFor(async () => (await db.query(kill)).length > 0, { what: 'the statement under way' });
  await expect(together).rejects.toThrow('unavailable');
  expect(await readNotes()).toEqual([]);
  await writes.transact([[insert, ['two']]]);
  expect((await readNotes()).map(({ note }) => note)).toEqual(['two']);
});
