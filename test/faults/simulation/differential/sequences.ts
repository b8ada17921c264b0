/**
 * The simulation's store answers the server's statements from memory. It is only worth something where it answers as
 * PostgreSQL does, so here both get the same operations, chosen by a seed, and are compared row by row after each of them.
 * PostgreSQL's `now()` is replaced by a clock that the test sets, so that an hour passes in no time and to the millisecond.
 */
import { createLogger } from '@berth/kit';
import { createTestDatabase, type TestDatabase } from '@berth/testing';
import { Database, PostgresAddress, type Queryable, type Store } from '@berth/testing/simulation';
import pg from 'pg';
import { afterAll, beforeAll, expect } from 'vitest';
import { Random } from '../random.ts';
import { insertHost } from '../store/host-statements.ts';
import { MemoryDatabase, type Answer, type Answers } from '../store/memory-database.ts';
import { toStore } from '../store/memory-store.ts';
import { followClock, listExpired, noteTick, promoteTasks } from '../store/scheduler-statements.ts';
import { claimTasks, failOverdue, applyTransitions } from '../store/task-statements.ts';
import { chooseOperation, HOSTS } from './operations.ts';
import { readMemory, readPostgres, toComparable, toNames } from './rows.ts';
import { OTHER_USER_ID, PROJECT_ID, ServerOnStore, toId, USER_ID } from './server-on-store.ts';

const OPERATIONS = 32;
const START_MS = Date.UTC(2026, 0, 1);

let database: TestDatabase;
let client: pg.Client;
let db: Database;
/** The database with one connection for every write pipeline of a kind: each sequence makes a server of its own. */
let store: Store & { slow: Queryable };

const settableClock = `
  create schema simulated;
  create table simulated.clock (at timestamptz not null);
  insert into simulated.clock values (to_timestamp(0));
  create function simulated.now() returns timestamptz language sql stable as 'select at from simulated.clock';
  do $$ declare c record; begin
    for c in select table_name, column_name from information_schema.columns
      where table_schema = 'public' and column_default = 'now()'
    loop
      execute format('alter table %I alter column %I set default simulated.now()', c.table_name, c.column_name);
    end loop;
    execute format('alter database %I set search_path = simulated, public, pg_catalog', current_database());
  end $$`;

const open = async (): Promise<void> => {
  database = await createTestDatabase();
  client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(settableClock);
  const log = createLogger({ name: 'test', level: 'silent' });
  db = new Database({ address: new PostgresAddress(database.url, log), log });
  const writePipelines = {
    durable: db.createWritePipeline('durable'),
    asyncCommit: db.createWritePipeline('asyncCommit'),
  };
  store = {
    query: (statement, values) => db.query(statement, values),
    slow: db.slow,
    createWritePipeline: (kind) => writePipelines[kind],
    transaction: (callback) => db.transaction(callback),
  };
};

const close = async (): Promise<void> => {
  await db.close();
  await client.end();
  await database.close();
};

/** Gives the file both stores. */
export const useStores = (): void => {
  beforeAll(open);
  afterAll(close);
};

const setPostgresClock = (nowMs: number) =>
  client.query('update simulated.clock set at = to_timestamp($1::double precision / 1000)', [nowMs]);

const resetPostgres = async (): Promise<void> => {
  await setPostgresClock(START_MS);
  await client.query(`delete from scheduler; insert into scheduler default values`);
  await client.query(`truncate users, projects, hosts, terminals, tasks, task_leases, notifications,
    terminal_secrets, regions, placement_turns cascade`);
  await client.query(`insert into regions (id, label, country) values (0, 'A', 'de')`);
  await client.query(
    `with u as (insert into users (id, name, email, password_hash, default_project_id) values ($1, 'n', 'e', 'h', $2))
     insert into projects (id, user_id, name) values ($2, $1, 'p')`,
    [USER_ID, PROJECT_ID],
  );
  await client.query(
    `insert into users (id, name, email, password_hash, default_project_id) values ($1, 'o', 'o', 'h', $2)`,
    [OTHER_USER_ID, PROJECT_ID],
  );
  for (let host = 0; host < HOSTS; host += 1) {
    await client.query(
      `insert into hosts (id, region_id, name, platforms, capacity) values ($1, 0, $2, '{sandbox}', 2)`,
      [toId(3, host), `host ${host}`],
    );
  }
};

const setLastTick = async (memory: MemoryDatabase, ms: number): Promise<void> => {
  memory.tables.scheduler.last_run_at = ms;
  await client.query(`update scheduler set last_run_at = to_timestamp($1::double precision / 1000)`, [ms]);
};

/** Runs one sequence on both. @param changed statements that the memory answers differently */
const runSequence = async (seed: number, changed: Answers = {}): Promise<void> => {
  await resetPostgres();
  const random = new Random(seed);
  const postgres = new ServerOnStore(store);
  postgres.nowMs = START_MS;
  const memory = new MemoryDatabase(() => postgres.nowMs, changed);
  const simulated = new ServerOnStore(toStore(memory));
  simulated.nowMs = START_MS;
  await setLastTick(memory, START_MS);
  for (let host = 0; host < HOSTS; host += 1) {
    insertHost(memory.tables, { id: toId(3, host), name: `host ${host}`, capacity: 2 });
  }
  let rows = { postgres: await readPostgres(client), memory: readMemory(memory.tables) };
  const done: unknown[] = [];
  for (let count = 0; count < OPERATIONS; count += 1) {
    const operation = chooseOperation(random, memory.tables, count, seed % 5 === 0);
    done.push(operation);
    if (operation.kind === 'wait') {
      postgres.nowMs = simulated.nowMs = postgres.nowMs + operation.ms;
      await setPostgresClock(postgres.nowMs);
      if (operation.isNoted) await setLastTick(memory, postgres.nowMs - 1_000);
    }
    const wanted = await postgres.apply(operation, toNames(rows.postgres));
    const found = await simulated.apply(operation, toNames(rows.memory));
    rows = { postgres: await readPostgres(client), memory: readMemory(memory.tables) };
    const context = `seed ${seed}, after ${JSON.stringify(done.slice(-4))}`;
    expect(found, context).toEqual(wanted);
    expect(toComparable(rows.memory), context).toEqual(toComparable(rows.postgres));
  }
};

/** Runs sequences of operations, numbered by their seeds. */
export const runSequences = async (count: number, { from = 1, changed = {} } = {}): Promise<void> => {
  for (let seed = from; seed < from + count; seed += 1) await runSequence(seed, changed);
};

/** What is answered differently, the statement, and how. */
export const differences: readonly [what: string, name: string, answer: Answer][] = [
  [
    'claims',
    'claim_tasks',
    (tables, now, [hosts, slots, leaseMs, , ...rest]) =>
      claimTasks(tables, now, [hosts, slots, leaseMs, 59_000, ...rest]),
  ],
  [
    'whose turn it is',
    'claim_tasks',
    (tables, now, values) =>
      claimTasks(
        tables,
        now,
        values.with(
          5,
          (values[5] as string[]).map(() => ''),
        ),
      ),
  ],
  ['hand-overs', 'claim_tasks', (tables, now, values) => claimTasks(tables, now, values.with(11, null))],
  ['lost deliveries', 'claim_tasks', (tables, now, values) => claimTasks(tables, now, values.with(10, 60_000))],
  [
    'moves',
    'apply_transitions',
    (tables, now, [ids, ...rest]) => applyTransitions(tables, now, [(ids as string[]).slice(0, 1), ...rest]),
  ],
  ['expiry', 'list_expired_leases', (tables, now, values) => listExpired(tables, now + 600, values)],
  ['a downtime', 'note_tick', (tables, now, [, deadlineMs]) => noteTick(tables, now, [Number.MAX_VALUE, deadlineMs])],
  ['a clock that was set back', 'follow_clock', (tables, now) => followClock(tables, now, [Number.MAX_VALUE])],
  ['overdue tasks', 'fail_overdue_tasks', (tables, now, values) => failOverdue(tables, now + 3_590_000, values)],
  ['promotion', 'promote_tasks', (tables, now, values) => promoteTasks(tables, now + 1_000, values)],
];

/** Enough that each of the differences shows. */
const MAX_UNTIL_CAUGHT = 200;

export const expectCaught = (name: string, answer: Answer): Promise<void> =>
  expect(runSequences(MAX_UNTIL_CAUGHT, { changed: { [name]: answer } })).rejects.toThrow(/seed \d+, after/);
