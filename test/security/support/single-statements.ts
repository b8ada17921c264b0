/**
 * What one statement does when it alone stands between two owners: everything before it is left out, or its rows are brought
 * into a state that no request leads to. Each look is one transaction, which is rolled back.
 */
import { randomUUID } from 'node:crypto';
import { HostStatus, MAX_OPEN_TASKS, TaskStatus, TaskType, TerminalStatus } from '@berth/contract';
import { listStatements, type Statement } from '@berth/testing';
import type { Scene } from './borders.ts';
import { anothersAudit } from './audit-statements.ts';
import { anothersEvidence } from './evidence-statements.ts';
import { anothersRemoval } from './removal-statements.ts';
import { anothersRisk } from './risk-statements.ts';
import { anothersSchedules } from './schedule-statements.ts';
import { anothersMoves } from './move-statements.ts';
import { anothersSnapshots } from './snapshot-statements.ts';
import { anothersAccounts } from './account-statements.ts';
import { anothersAlerts } from './alert-statements.ts';
import { anotherHosts } from './host-statements.ts';
import { anothersStops } from './stop-statements.ts';
import { anothersTags, anothersViews } from './trader-statements.ts';
import { anothersUsers } from './user-statements.ts';
import { anothersAnswers } from './why-statements.ts';
import { anothersStorage, anothersWebhooks } from './webhook-statements.ts';

type Row = Record<string, unknown>;

export interface Transaction {
  /** Runs the service's statement of this name. */
  run: (name: string, values: unknown[]) => Promise<Row[]>;
  /** Runs a statement of the test. */
  plant: (text: string, values: unknown[]) => Promise<Row[]>;
}

let known: ReadonlyMap<string, Statement> | undefined;

/** By the names that they have while none is a mutant. */
const statementOf = (name: string): Statement => {
  known ??= new Map(listStatements().map((statement) => [statement.name, statement]));
  const statement = known.get(name);
  if (!statement) throw new Error(`there is no statement ${name}`);
  return statement;
};

const ROLLED_BACK = new Error('rolled back');

const lookOnce = async ({ server }: Scene, look: (tx: Transaction) => Promise<unknown>): Promise<unknown> => {
  let seen: unknown;
  const done = server.services.db.transaction(async (tx) => {
    seen = await look({
      run: (name, values) => tx.query<Row>(statementOf(name), values),
      plant: (text, values) => tx.query<Row>({ name: '', text }, values),
    });
    throw ROLLED_BACK;
  });
  await done.catch((error: unknown) => {
    if (error !== ROLLED_BACK) throw error;
  });
  return seen;
};

export type Look = (tx: Transaction, scene: Scene) => Promise<unknown>;

/** Of a claim: its host says that it knows of nothing; it asks for all of its terminals. */
const KNOWS_NOTHING = [[true], [], [], [], 1_000, null];
/** Of a list of terminals. */
const NO_FILTER = [null, null, null, null, null, null, null, null];

/** Files and tasks of the owner, asked for in the name of the stranger; and a file that is over, in its owner's. */
const anothersRows: Look[] = [
  ({ run }, { owner, fileId, strangersTerminalId }) => run('hold_file', [owner.user.id, fileId, [strangersTerminalId]]),
  async ({ run, plant }, { stranger, fileId }) => {
    await run('delete_file', [stranger.user.id, fileId]);
    return plant('select count(*) as total from files where id = $1', [fileId]);
  },
  async ({ run, plant }, { owner }) => {
    const segments = `insert into task_segments (list_id, first_seq, known_since) values ($1, 0, '3'), ($1, $2, null)`;
    await plant(segments, [owner.user.id, Number.MAX_SAFE_INTEGER]);
    await run('count_task_segment_of_user', [owner.user.id, 0]);
    const counted = `select sum(c.total) = (select count(*) from tasks where user_id = $1) as is_own
      from task_segments s cross join lateral unnest(s.counts) c where s.list_id = $1`;
    return plant(counted, [owner.user.id]);
  },
  async ({ run, plant }, { owner, stranger, terminalId, strangersTerminalId }) => {
    await plant(
      `insert into tasks (id, user_id, terminal_id, type)
       select gen_random_uuid(), case when n % 2 = 0 then $1 else $2 end::uuid, case when n % 2 = 0 then $3 else $4 end::uuid,
         ${TaskType.EA_LOGS} from generate_series(1, 20) n`,
      [owner.user.id, stranger.user.id, terminalId, strangersTerminalId],
    );
    await plant('insert into task_segments (list_id, first_seq) values ($1, 0)', [owner.user.id]);
    await run('divide_tasks_of_user', [owner.user.id, 2]);
    const owned = `select bool_and(first_seq in (select seq from tasks where user_id = $1)) as are_own from task_segments
      where list_id = $1 and first_seq > 0`;
    return plant(owned, [owner.user.id]);
  },
  async ({ run, plant }, { owner, stranger }) => {
    await plant(`insert into events (user_id, type, data) values ($1, 'host.lost', '{}')`, [owner.user.id]);
    const filter = [['host.lost'], null, null, null, null];
    const list = async (name: string, userId: string) =>
      (await run(name, [userId, 0, Number.MAX_SAFE_INTEGER, 100, ...filter, 100])).map(({ type }) => type);
    const [oldest, newest] = ['list_events', 'list_newest_events'];
    return [
      [await list(oldest, owner.user.id), await list(oldest, stranger.user.id)],
      [await list(newest, owner.user.id), await list(newest, stranger.user.id)],
    ];
  },
  // Between the newest two ids there is one event, and it is its owner's.
  async ({ run, plant }, { owner, stranger }) => {
    const insert = `insert into events (user_id, type, data) values ($1, 'host.lost', '{}') returning id::float8 as id`;
    const [row] = await plant(insert, [owner.user.id]);
    const newest = Number(row?.id);
    const find = async (userId: string) => {
      const [found] = await run('find_event_id_by_time', [userId, newest - 1, newest, '2000-01-01']);
      return newest - Number(found?.id);
    };
    return [await find(owner.user.id), await find(stranger.user.id)];
  },
  ({ run }, { stranger }) => run('count_open_bulk_runs', [stranger.user.id, false, 0]),
  ({ run }, { stranger, runId }) => run('cancel_bulk_run', [runId, stranger.user.id]),
  async ({ run }, { stranger, runId }) =>
    (await run('list_bulk_run_items', [runId, stranger.user.id, null, 10, 0, null, false])).length,
  async ({ run, plant }, { stranger, endedRunId }) => {
    await run('forget_old_bulk_runs', [stranger.user.id, 0, 0, 0]);
    return plant('select count(*) as total from bulk_runs where id = $1', [endedRunId]);
  },
  ({ run }, { stranger, fileId }) => run('read_file_slice', [stranger.user.id, fileId, 1, 10]),
  ({ run }, { owner, expiredFileId }) => run('read_file_slice', [owner.user.id, expiredFileId, 1, 10]),
  async ({ run }, { stranger, terminalId }) =>
    (await run('list_tasks', [terminalId, stranger.user.id, null, null, 100, 0, 1_000_000, null])).length,
  async ({ run, plant }, { stranger, terminalId }) => {
    const [row] = await plant('select array_agg(seq) as seqs from tasks where terminal_id = $1', [terminalId]);
    return (await run('list_tasks_by_seq', [terminalId, stranger.user.id, row?.seqs])).length;
  },
  ...['read_minute_samples', 'read_quarter_samples'].map((name): Look => async ({ run, plant }, scene) => {
    const { owner, stranger, terminalId } = scene;
    await plant(
      `insert into terminal_quarters (terminal_id, day_at, link, minutes, ping_ms, memory_mb, cpu_permille, disk_mb)
       values ($1, date_bin('1 day', now() - interval '2 days', timestamptz 'epoch'), '{100}', '{15}', '{20}', '{1}', '{1}', '{1}')`,
      [terminalId],
    );
    await plant(
      `insert into terminal_minutes (terminal_id, hour_at, link, ping_ms, memory_mb, cpu_permille, disk_mb)
       values ($1, date_bin('1 hour', now() - interval '2 hours', timestamptz 'epoch'), '{100}', '{20}', '{1}', '{1}', '{1}')`,
      [terminalId],
    );
    const read = async (userId: string) => {
      const [row] = await run(name, [terminalId, userId, '2000-01-01', '2100-01-01']);
      return (row?.rows as unknown[]).length;
    };
    return [await read(owner.user.id), await read(stranger.user.id)];
  }),
  // Lists of the tasks of all terminals: by the project that the terminal is in, and open ones without a host, each once.
  async ({ run, plant }, { stranger, terminalId }) => {
    const [row] = await plant('select project_id from terminals where id = $1', [terminalId]);
    const values = [stranger.user.id, null, null, null, null, row?.project_id, null, null, null];
    const listed = await run('list_account_tasks_project', [...values, 100, 0, 1_000_000]);
    return [listed.length, await run('count_account_tasks_project', values)];
  },
  ...[
    { name: 'open', statuses: null },
    { name: 'unachieved', statuses: [TaskStatus.PENDING, TaskStatus.RUNNING, TaskStatus.FAILED] },
    { name: 'achieved', statuses: [TaskStatus.PENDING, TaskStatus.COMPLETED] },
  ].map(({ name, statuses }): Look => async ({ run, plant }, { owner, stranger, taskId, strangersTerminalId }) => {
    await plant('update tasks set host_id = null where id = $1', [taskId]);
    await plant(
      `insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at)
       select gen_random_uuid(), $1, host_id, id, ${TaskType.EA_LOGS}, s, f
       from terminals cross join (values (${TaskStatus.PENDING}, null), (${TaskStatus.FAILED}, now())) as n (s, f) where id = $2`,
      [stranger.user.id, strangersTerminalId],
    );
    const values = [owner.user.id, statuses, null, null, null, null, null, null, null];
    const listed = await run(`list_account_tasks_${name}`, [...values, 100, 0, 1_000_000]);
    return [listed.length, await run(`count_account_tasks_${name}`, values)];
  }),
  async ({ run }, { stranger, terminalId }) => {
    const values = [stranger.user.id, null, null, null, terminalId, null, null, null, null];
    const listed = await run('list_account_tasks_terminal', [...values, 100, 0, 1_000_000]);
    return [listed.length, await run('count_account_tasks_terminal', values)];
  },
  async ({ run }, { stranger, taskId }) => {
    const values = [stranger.user.id, null, null, null, null, null, null, [taskId], null];
    const listed = await run('list_account_tasks_named', [...values, 100, 0, 1_000_000]);
    return [listed.length, await run('count_account_tasks_named', values)];
  },
  // One task per run: another user's run hides nothing, and is not shown.
  async ({ run, plant }, { owner, stranger, runId, terminalId, taskId }) => {
    const [copy] = await plant(
      `insert into bulk_runs (id, user_id, type, payload, stagger_seconds, total, finished_at)
       select gen_random_uuid(), $2, type, payload, 0, 2, now() from bulk_runs where id = $1 returning id`,
      [runId, stranger.user.id],
    );
    await plant(
      `insert into bulk_run_items (run_id, number, terminal_id, task_id, state)
       values ($1, 1, $2, gen_random_uuid(), 5), ($1, 2, $2, $3, 5)`,
      [copy?.id, terminalId, taskId],
    );
    const values = [owner.user.id, null, null, null, null, null, null, null, null];
    const listed = await run('list_account_tasks_folded', [...values, 100, 0, 1_000_000]);
    const others = [stranger.user.id, ...values.slice(1)];
    const counted = [await run('count_account_tasks_folded', values), await run('count_account_tasks_folded', others)];
    return [listed.length, counted];
  },
  async ({ run, plant }, { stranger, runId, taskId }) => {
    await plant('update bulk_run_items set task_id = $2 where run_id = $1 and number = 1', [runId, taskId]);
    return (await run('list_runs_of_tasks', [stranger.user.id, [taskId]])).length;
  },
  async ({ run }, { stranger, terminalId }) =>
    (await run('list_terminal_names', [stranger.user.id, [terminalId]])).length,
  async ({ run }, { stranger, taskId }) => (await run('list_account_tasks_by_id', [stranger.user.id, [taskId]])).length,
  async ({ run, plant }, { owner, stranger, terminalId, fileId }) => {
    await plant('insert into terminal_screenshots (terminal_id, file_id) values ($1, $2)', [terminalId, fileId]);
    const find = async (userId: string) => (await run('find_screenshot', [terminalId, userId])).length;
    return [await find(owner.user.id), await find(stranger.user.id)];
  },
  // A screenshot whose file is over.
  async ({ run, plant }, { owner, terminalId, expiredFileId }) => {
    await plant('insert into terminal_screenshots (terminal_id, file_id) values ($1, $2)', [terminalId, expiredFileId]);
    const [details] = await run('list_terminal_details', [[terminalId]]);
    return [(await run('find_screenshot', [terminalId, owner.user.id])).length, details?.file_id];
  },
  // What a host saw that the terminal is not on any more, and whose word is taken while another one is fresh.
  async ({ run, plant }, { owner, stranger, terminalId, host, otherHost }) => {
    const charts = `insert into terminal_charts (terminal_id, host_id, charts, truncated) values ($1, $2, '[]', false)
      on conflict (terminal_id) do update set host_id = excluded.host_id, seen_at = now()`;
    const find = async (userId: string) =>
      (await run('find_charts', [terminalId, userId])).map((row) => row.charts !== null);
    const take = async (hostId: string) =>
      (await run('take_charts', [hostId, [terminalId], ['[]'], [false], 60_000])).length;
    await plant(charts, [terminalId, otherHost.id]);
    const seen = [await find(owner.user.id), await take(otherHost.id), await take(host.id), await take(host.id)];
    return [...seen, await find(owner.user.id), await find(stranger.user.id)];
  },
  // The lists of large accounts, which no request of a small one reaches.
  ...['created_at', 'name', 'server_name', 'login', 'status', 'attention'].flatMap((column) =>
    ['asc', 'desc'].map((direction): Look => async ({ run }, { owner, stranger }) => {
      const list = async (userId: string) =>
        (await run(`list_terminals_${column}_${direction}`, [userId, ...NO_FILTER, 100, 0, null, null])).length;
      return [await list(owner.user.id), await list(stranger.user.id)];
    }),
  ),
  ({ run }, { stranger }) => run('count_terminals', [stranger.user.id, ...NO_FILTER]),
  ({ run }, { stranger, terminalId }) => run('count_tasks', [terminalId, stranger.user.id, null, null, null, null]),
  async ({ run, plant }, { owner, stranger, terminalId }) => {
    await plant(
      `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login)
       select $2, user_id, project_id, region_id, platform, name, server_name, login from terminals where id = $1`,
      [terminalId, randomUUID()],
    );
    const ask = async (userId: string) =>
      (await run('find_terminals_on_account', [userId, [terminalId], null, null])).length;
    return [await ask(owner.user.id), await ask(stranger.user.id)];
  },
];

/** Two tasks wait on a terminal, of two hosts, and nothing else is on it. Their time was planned, and has come. */
const plantOnBothHosts = async (
  plant: Transaction['plant'],
  { owner, terminalId, host, otherHost }: Scene,
): Promise<void> => {
  await plant('delete from task_leases where terminal_id = $1', [terminalId]);
  await plant('delete from tasks where terminal_id = $1', [terminalId]);
  await plant(
    `insert into tasks (id, user_id, host_id, terminal_id, type, planned_at)
     select gen_random_uuid(), $1, h, $2, ${TaskType.EA_LOGS}, now() from unnest($3::uuid[]) h`,
    [owner.user.id, terminalId, [host.id, otherHost.id]],
  );
};

/** A task of another host than its terminal's: which of them gets it, waits for it, is notified of it. */
const anothersHost: Look[] = [
  // Also where its planned time has come, and it has no place among the others yet.
  ...[false, true].map(
    (isPlanned): Look =>
      async ({ run, plant }, { strangersTerminalId, taskId, host, otherHost }) => {
        const move = `update tasks set terminal_id = $2, host_id = $3, planned_at = null where id = $1`;
        await plant(move, [taskId, strangersTerminalId, host.id]);
        if (isPlanned) await plant('update tasks set waits_until = now() where id = $1', [taskId]);
        const session = randomUUID();
        await plant(`update hosts set session_id = $1 where id = any($2::uuid[])`, [session, [host.id, otherHost.id]]);
        const claim = async (id: string) =>
          (await run('claim_tasks', [[id], [10], 30_000, 30_000, [session], [randomUUID()], ...KNOWS_NOTHING])).length;
        return [await claim(host.id), await claim(otherHost.id)];
      },
  ),
  ...[false, true].map((isWaiting): Look => async ({ run, plant }, scene) => {
    await plantOnBothHosts(plant, scene);
    if (isWaiting) await plant('update tasks set waits_until = now() where terminal_id = $1', [scene.terminalId]);
    const hosts = (await run('promote_tasks', [1_000])).map((row) => row.host_id);
    return [hosts.includes(scene.host.id), hosts.includes(scene.otherHost.id)];
  }),
  async ({ run, plant }, scene) => {
    const { terminalId, host } = scene;
    await plantOnBothHosts(plant, scene);
    await plant(`update terminals set status = ${TerminalStatus.DESTROYING} where id = $1`, [terminalId]);
    return (await run('cancel_leftover_tasks', ['{}', [host.id], [terminalId], 100])).length;
  },
  async ({ run, plant }, scene) => {
    const { terminalId, host, otherHost } = scene;
    await plantOnBothHosts(plant, scene);
    await plant('update terminals set host_id = $2 where id = $1', [terminalId, otherHost.id]);
    return (await run('adopt_stray_tasks', [[host.id], [terminalId], 100])).length;
  },
  async ({ run, plant }, { terminalId, running, otherHost }) => {
    await plant(`update tasks set host_id = $3 where terminal_id = $1 and id <> $2`, [
      terminalId,
      running.id,
      otherHost.id,
    ]);
    const values = [[running.id], [terminalId], [4], ['{}'], [0], ['agent'], [0]];
    return (await run('apply_transitions', values)).map((row) => row.has_next);
  },
  // What no host took for too long: the one that stands first on the terminal, and no other host's behind it.
  async ({ run, plant }, { owner, terminalId, host, otherHost }) => {
    await plant('delete from tasks where terminal_id = $1', [terminalId]);
    await plant(
      `insert into tasks (id, user_id, host_id, terminal_id, type, status, state_since)
       select gen_random_uuid(), $1, h, $2, ${TaskType.EA_LOGS}, s, now() - interval '30 days'
       from (values ($3::uuid, ${TaskStatus.QUEUED}), ($4::uuid, ${TaskStatus.PENDING})) as n (h, s)`,
      [owner.user.id, terminalId, host.id, otherHost.id],
    );
    return (await run('fail_overdue_tasks', ['{}', 60_000, 100])).filter((row) => row.terminal_id === terminalId)
      .length;
  },
  async ({ run, plant }, { terminalId, otherHost }) => {
    await plant(`update tasks set host_id = $2 where terminal_id = $1`, [terminalId, otherHost.id]);
    await plant(
      `update terminals set status = ${TerminalStatus.DESTROYING}, updated_at = now() - interval '1 hour' where id = $1`,
      [terminalId],
    );
    return (await run('list_stuck_destructions', [])).some(({ id }) => id === terminalId);
  },
];

/** Whether a terminal takes one more task: what is open on it for another host is not counted. */
const full: Look[] = [
  async ({ run, plant }, { owner, terminalId, host, otherHost }) => {
    await plant(`update terminals set status = ${TerminalStatus.ACTIVE}, host_id = $2 where id = $1`, [
      terminalId,
      host.id,
    ]);
    await plant(
      `insert into tasks (id, user_id, host_id, terminal_id, type)
       select gen_random_uuid(), $1, $2, $3, ${TaskType.EA_LOGS} from generate_series(1, ${MAX_OPEN_TASKS})`,
      [owner.user.id, otherHost.id, terminalId],
    );
    const task = [[randomUUID()], [owner.user.id], [terminalId], [TaskType.EA_LOGS], ['{}'], [null], [null], [null]];
    return (await run('insert_tasks', [...task, ['user']])).map((row) => row.created_at !== null);
  },
];

/** Automatic screenshots: open tasks on the terminal for another host do not block its turn. */
const turns: Look[] = [
  async ({ run, plant }, { terminalId, taskId, host, otherHost }) => {
    await plant(`update hosts set status = ${HostStatus.ONLINE} where id = $1`, [host.id]);
    const status = TerminalStatus.ACTIVE;
    await plant(`update terminals set status = ${status}, host_id = $2, screenshot_every_minutes = 5 where id = $1`, [
      terminalId,
      host.id,
    ]);
    await plant(`delete from tasks where terminal_id = $1 and id <> $2`, [terminalId, taskId]);
    await plant(`update tasks set host_id = $2, planned_at = null where id = $1`, [taskId, otherHost.id]);
    await plant(`delete from screenshot_turns`, []);
    await plant(`insert into screenshot_turns (terminal_id, next_at) values ($1, now() - interval '1 minute')`, [
      terminalId,
    ]);
    return (await run('take_screenshot_turns', [100])).map((row) => row.is_free);
  },
];

/** What a claim of a session that the host has, or had, is given: a task that waits, or a delivery that was lost. */
const claimed: Look[] = (['current', 'earlier'] as const).flatMap((which): Look[] => {
  const prepare = async ({ plant }: Parameters<Look>[0], { terminalId, taskId, host }: Parameters<Look>[1]) => {
    const [current, earlier] = [randomUUID(), randomUUID()];
    await plant(`update hosts set session_id = $1, status = ${HostStatus.ONLINE} where id = $2`, [current, host.id]);
    await plant(`update terminals set status = ${TerminalStatus.ACTIVE}, host_id = $2 where id = $1`, [
      terminalId,
      host.id,
    ]);
    await plant(`delete from task_leases where terminal_id = $1`, [terminalId]);
    await plant(`delete from tasks where terminal_id = $1 and id <> $2`, [terminalId, taskId]);
    await plant(`update tasks set host_id = $2, planned_at = null, available_at = null where id = $1`, [
      taskId,
      host.id,
    ]);
    return which === 'current' ? current : earlier;
  };
  return [
    async (parts, scene) => {
      const session = await prepare(parts, scene);
      const values = [[scene.host.id], [1], 30_000, 30_000, [session], [randomUUID()], ...KNOWS_NOTHING];
      return (await parts.run('claim_tasks', values)).length;
    },
    async (parts, scene) => {
      const session = await prepare(parts, scene);
      const { plant, run } = parts;
      await plant(
        `insert into task_leases (terminal_id, task_id, host_id, session_id, fence, expires_at, deadline_at)
         values ($1, $2, $3, $4, 1, now() + interval '1 day', now() + interval '1 day')`,
        [scene.terminalId, scene.taskId, scene.host.id, session],
      );
      await plant(`update tasks set attempts = 1, status = ${TaskStatus.DELIVERED} where id = $1`, [scene.taskId]);
      const values = [[scene.host.id], [1], 30_000, 30_000, [session], [randomUUID()], ...KNOWS_NOTHING];
      return (await run('claim_tasks', values)).length;
    },
  ];
});

/** What the service does by itself for many users at once. */
const forMany: Look[] = [
  async ({ run, plant }, { terminalId, strangersTerminalId }) => {
    const wait = `update terminals set status = ${TerminalStatus.PENDING}, host_id = null, region_id = 0, waiting_since = now() where id = any($1)`;
    await plant(wait, [[terminalId, strangersTerminalId]]);
    return (await run('list_waiting_terminals', [100])).length;
  },
  async ({ run, plant }, { terminalId, strangersTerminalId }) => {
    const wait = `update terminals set status = ${TerminalStatus.PENDING}, host_id = null, region_id = 1, any_region = true, waiting_since = now() where id = any($1)`;
    await plant(wait, [[terminalId, strangersTerminalId]]);
    await run('change_open_regions', [100]);
    const moved = 'select count(*) as total from terminals where id = any($1) and region_id = 0';
    return plant(moved, [[terminalId, strangersTerminalId]]);
  },
  // Of the user whose turn it is, however long another one has waited.
  async ({ run, plant }, { terminalId, strangersTerminalId }) => {
    const ids = [terminalId, strangersTerminalId];
    const wait = `update terminals set status = ${TerminalStatus.PENDING}, host_id = null, region_id = 1, any_region = true,
      waiting_since = now() - case when id = $2 then interval '1 minute' else interval '0' end where id = any($1)`;
    const moved = [];
    for (const older of ids) {
      await plant(wait, [ids, older]);
      await run('change_open_regions', [1]);
      moved.push((await plant('select id from terminals where id = any($1) and region_id = 0', [ids]))[0]?.id);
    }
    return [moved[0] !== undefined, moved[0] === moved[1]];
  },
  async ({ run, plant }, { owner, stranger }) => {
    const [newest] = await plant(
      `select type, data ->> 'id' as id from notifications where user_id = $1 order by created_at desc, id desc limit 1`,
      [owner.user.id],
    );
    const values = [[randomUUID()], [stranger.user.id], [newest?.type], [newest?.id], ['the same'], 86_400_000];
    await run('insert_notifications', values);
    const count = `select count(*) as total from notifications where user_id = $1 and data ->> 'id' = $2`;
    return plant(count, [stranger.user.id, newest?.id]);
  },
];

/** One after the other; a statement that fails counts as seen. */
export const runAlone = async (scene: Scene): Promise<unknown[]> => {
  const seen: unknown[] = [];
  const looks = [
    ...anothersRows,
    ...anothersSchedules,
    ...anothersSnapshots,
    ...anothersMoves,
    ...anothersStops,
    ...anotherHosts,
    ...anothersTags,
    ...anothersViews,
    ...anothersUsers,
    ...anothersRemoval,
    ...anothersAnswers,
    ...anothersAudit,
    ...anothersStorage,
    ...anothersWebhooks,
    ...anothersAlerts,
    ...anothersRisk,
    ...anothersEvidence,
    ...anothersAccounts,
    ...anothersHost,
    ...full,
    ...turns,
  ];
  for (const look of [...looks, ...claimed, ...forMany]) {
    seen.push(await lookOnce(scene, (tx) => look(tx, scene)).catch((error: unknown) => String(error).slice(0, 120)));
  }
  return seen;
};
