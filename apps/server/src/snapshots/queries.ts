/** What terminals were set up with, and copies of it. */
import { MAX_KEPT_SNAPSHOTS, TaskStatus, TaskType, type Snapshot, type SnapshotCause } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { setupTypes, type Setup, type SetupFile, type SetupTask } from './setup.ts';

const listStatement = sql(
  'list_terminal_setups',
  `select terminal_id, content from terminal_setups where terminal_id = any($1::uuid[])`,
);

export const listSetups = async (tx: Queryable, terminalIds: readonly string[]): Promise<Map<string, Setup>> => {
  const rows = await tx.query<{ terminal_id: string; content: Setup }>(listStatement, [terminalIds]);
  return new Map(rows.map((row) => [row.terminal_id, row.content]));
};

/** Of a terminal that is older than its setup, what is kept of its tasks; so many are read. */
const MAX_FORMER = 1_000;

const listFormerStatement = sql(
  'list_former_setup_tasks',
  `select t.terminal_id, t.type, t.status, t.payload, t.result #>> '{runner_result,-1,data,chart_id}' as "chartId",
     case when f.id is not null then json_build_object('id', f.id, 'sha256', f.sha256) end as file
   from unnest($1::uuid[]) as n (terminal_id)
   cross join lateral (
     select * from tasks o where o.terminal_id = n.terminal_id and o.type in (${setupTypes.join(', ')})
       and o.status = ${TaskStatus.COMPLETED} and o.id <> all($2::uuid[])
     order by o.seq desc limit ${MAX_FORMER}
   ) t
   left join files f on f.id::text = lower(t.payload ->> 'file_id') and f.user_id = t.user_id
   order by t.finished_at, t.seq`,
);

/** The tasks that set up these terminals, oldest first. @param without tasks that are not listed */
export const listFormerTasks = (
  tx: Queryable,
  terminalIds: readonly string[],
  without: readonly string[],
): Promise<(SetupTask & { terminal_id: string })[]> => tx.query(listFormerStatement, [terminalIds, without]);

const noteStatement = sql(
  'note_terminal_setups',
  `with given as (
     select * from unnest($1::uuid[], $2::jsonb[], $3::uuid[]) as g (terminal_id, content, snapshot_id)
   ), written as (
     insert into terminal_setups (terminal_id, content) select terminal_id, content from given
     on conflict (terminal_id) do update set content = excluded.content, updated_at = now()
   ), gone as (
     delete from terminal_snapshots where id in (
       select o.id from given g cross join lateral (
         select id from terminal_snapshots where terminal_id = g.terminal_id and cause = 'change'
         order by created_at desc, id desc offset ${MAX_KEPT_SNAPSHOTS.change - 1}
       ) o where g.snapshot_id is not null
     )
   )
   insert into terminal_snapshots (id, user_id, terminal_id, cause, content)
   select g.snapshot_id, t.user_id, g.terminal_id, 'change', g.content
   from given g join terminals t on t.id = g.terminal_id where g.snapshot_id is not null`,
);

export interface NotedSetup {
  terminalId: string;
  setup: Setup;
  /** null: no snapshot is taken, because nothing changed that another terminal would have. */
  snapshotId: string | null;
}

/** Writes setups, with a snapshot each; the oldest go. The terminals are locked. */
export const noteSetups = async (tx: Queryable, noted: readonly NotedSetup[]): Promise<void> => {
  if (noted.length === 0) return;
  const contents = noted.map(({ setup }) => JSON.stringify(setup));
  const values = [noted.map(({ terminalId }) => terminalId), contents, noted.map(({ snapshotId }) => snapshotId)];
  await tx.query(noteStatement, values);
};

const columns = `id, created_at, cause, octet_length(content::text) as size,
     (content -> 'is_complete')::boolean as is_complete, jsonb_array_length(content -> 'experts') as charts,
     (select count(distinct lower(e ->> 'name')) from jsonb_array_elements(content -> 'experts') e)::int as experts`;

const listSnapshotsStatement = sql(
  'list_snapshots',
  `select ${columns} from terminal_snapshots s
   where s.terminal_id = $2
     and exists (select from terminals t where t.id = s.terminal_id and t.user_id = $1 and t.deleted_at is null)
   order by created_at desc, id desc`,
);

/** The snapshots of the user's terminal, newest first. */
export const listSnapshots = (db: Queryable, userId: string, terminalId: string): Promise<Snapshot[]> =>
  db.query<Snapshot>(listSnapshotsStatement, [userId, terminalId]);

const countStatement = sql(
  'count_snapshots',
  `select count(*) as total from terminal_snapshots where terminal_id = $1 and user_id = $2 and cause = $3`,
);

export const countSnapshots = async (
  tx: Queryable,
  userId: string,
  terminalId: string,
  cause: SnapshotCause,
): Promise<number> => (await tx.query<{ total: number }>(countStatement, [terminalId, userId, cause]))[0]?.total ?? 0;

const insertStatement = sql(
  'insert_snapshot',
  `insert into terminal_snapshots (id, user_id, terminal_id, cause, content)
   select $1, t.user_id, t.id, $4, $5 from terminals t where t.id = $2 and t.user_id = $3
   returning ${columns}`,
);

export const insertSnapshot = async (
  tx: Queryable,
  ids: { id: string; userId: string; terminalId: string },
  cause: SnapshotCause,
  setup: Setup,
): Promise<Snapshot> => {
  const values = [ids.id, ids.terminalId, ids.userId, cause, JSON.stringify(setup)];
  const [row] = await tx.query<Snapshot>(insertStatement, values);
  if (!row) throw new Error('insert_snapshot returned no row');
  return row;
};

const deleteStatement = sql(
  'delete_snapshot',
  `delete from terminal_snapshots where id = $1 and terminal_id = $2
     and exists (select from terminals t where t.id = $2 and t.user_id = $3 and t.deleted_at is null)
   returning id`,
);

/** false: the user's terminal has no such snapshot. */
export const deleteSnapshot = async (tx: Queryable, userId: string, terminalId: string, id: string): Promise<boolean> =>
  (await tx.query(deleteStatement, [id, terminalId, userId])).length > 0;

const findContentStatement = sql(
  'find_snapshot_content',
  `select content from terminal_snapshots where id = $1 and user_id = $2`,
);

/** Of any terminal of the user, deleted ones among them. */
export const findSnapshotContent = async (db: Queryable, userId: string, id: string): Promise<Setup | undefined> =>
  (await db.query<{ content: Setup }>(findContentStatement, [id, userId]))[0]?.content;

const listFilesStatement = sql(
  'list_files_by_hash',
  `select id, user_id, sha256 from files
   where user_id = any($1::uuid[]) and sha256 = any($2::text[]) and (expires_at is null or expires_at > now())
   order by created_at desc`,
);

/** Finds files of users by what a setup knows of them: the file itself, or else one with the same content. */
export const createFileFinder = async (
  db: Queryable,
  users: readonly string[],
  setups: readonly Setup[],
): Promise<(userId: string, file: SetupFile) => string | undefined> => {
  const hashes = setups.flatMap(({ experts, server_file: file }) => [
    ...experts.map((expert) => expert.file.sha256),
    ...(file ? [file.sha256] : []),
  ]);
  type Row = { id: string; user_id: string; sha256: string };
  const rows = hashes.length === 0 ? [] : await db.query<Row>(listFilesStatement, [users, [...new Set(hashes)]]);
  return (userId, { id, sha256 }) => {
    const own = rows.filter((row) => row.user_id === userId && row.sha256 === sha256);
    return (own.find((row) => row.id === id) ?? own[0])?.id;
  };
};

const listRestoredStatement = sql(
  'list_setups_to_restore',
  `select s.terminal_id, t.user_id, s.content,
     t.trading_allowed is not null and (t.trading_allowed or coalesce(t.trading_reason, '') <> 'terminal_switch')
     and coalesce((
       select o.status = ${TaskStatus.COMPLETED} and o.payload ->> 'allow_algo_trading' = '1'
       from tasks o where o.terminal_id = t.id and o.type = ${TaskType.OPTIONS_AUTO_TRADE}
       order by o.seq desc limit 1
     ), true) as was_trading
   from terminals t join terminal_setups s on s.terminal_id = t.id
   where t.id = any($1::uuid[])`,
);

export interface SetupToRestore {
  terminal_id: string;
  user_id: string;
  content: Setup;
  /** Algo trading was on when its host last said so, and nobody asked for anything else since. */
  was_trading: boolean;
}

export const listSetupsToRestore = (tx: Queryable, terminalIds: readonly string[]): Promise<SetupToRestore[]> =>
  tx.query<SetupToRestore>(listRestoredStatement, [terminalIds]);

const insertRestorationStatement = sql(
  'insert_restoration',
  `insert into terminal_restorations (terminal_id, task_ids) values ($1, $2::uuid[])
   on conflict (terminal_id) do update set task_ids = excluded.task_ids, created_at = now()`,
);

/** Algo trading is turned on once all of these tasks are done (`resumeTradingStatement`). */
export const insertRestoration = async (
  tx: Queryable,
  terminalId: string,
  taskIds: readonly string[],
): Promise<void> => {
  await tx.query(insertRestorationStatement, [terminalId, taskIds]);
};
