/**
 * Handing tasks to hosts. One statement serves any number of waiting hosts: it finds the head of each terminal's queue,
 * takes the lease (whose primary key, the terminal, admits one attempt at a time) and moves the task to DELIVERED. The
 * fence it hands out is the attempt number.
 */
import {
  DELIVERED_DEADLINE_MS,
  isSingleLine,
  LEASE_MS,
  taskCatalogue,
  TaskType,
  type DeliveredTask,
  type TerminalStatus,
  type WantedTerminal,
} from '@berth/contract';
import { Batcher, type Logger } from '@berth/kit';
import { isRefused, sql, type Queryable, type Store } from '../db/database.ts';
import type { Vault } from '../secrets/vault.ts';

const MAX_HOSTS_A_CLAIM = 128;

export interface Claim {
  hostId: string;
  sessionId: string;
  slots: number;
}

/** What a host is told of an attempt. */
export interface ClaimedRow {
  id: string;
  fence: number;
  type: TaskType;
  payload: Record<string, unknown>;
  sealed: string | null;
  host_id: string;
  terminal_id: string;
  platform: WantedTerminal['platform'];
  terminal_status: TerminalStatus;
  server_name: string;
  login: string;
  stored_password: string | null;
}

/**
 * Lateral and by `offset 0`, so that no plan, however old, can do anything but start from the hosts that ask. Which tasks they
 * get is decided by `heads` alone: the session is joined to the lease without a say in it.
 */
const claimStatement = sql(
  'claim_tasks',
  `with asked as (
     select host_id, session_id, max(slots) as slots
     from unnest($1::uuid[], $2::int[], $5::uuid[]) as a (host_id, slots, session_id) group by host_id, session_id
   ), heads as (
     select h.id, h.seq, a.host_id, a.slots
     from asked a
     cross join lateral (
       select tm.id from terminals tm where tm.host_id = a.host_id and tm.deleted_at is null offset 0
     ) tm
     cross join lateral (
       select t.id, t.seq, t.status, t.available_at from tasks t
       where t.host_id = a.host_id and t.terminal_id = tm.id and t.finished_at is null
         and (t.planned_at is null or t.planned_at <= now())
       order by t.seq limit 1
     ) h
     where h.status in (0, 1) and (h.available_at is null or h.available_at <= now())
       and (select l.task_id from task_leases l where l.terminal_id = tm.id) is null
   ), picked as (
     select id from (select id, slots, row_number() over (partition by host_id order by seq) as place from heads) ranked
     where place <= slots
   ), locked as (
     select t.id, t.terminal_id, t.host_id, t.attempts from tasks t
     where t.id in (select id from picked) and t.status in (0, 1)
     for update of t skip locked
   ), leased as (
     insert into task_leases (terminal_id, task_id, host_id, session_id, fence, expires_at, deadline_at)
     select l.terminal_id, l.id, l.host_id, a.session_id, l.attempts + 1,
       now() + $3 * interval '1 millisecond', now() + $4 * interval '1 millisecond'
     from locked l left join asked a using (host_id)
     on conflict (terminal_id) do nothing
     returning task_id, fence
   ), delivered as (
     update tasks t set status = 2, attempts = l.fence, actor = 'agent', delivered_at = now(), state_since = now(),
       updated_at = now()
     from leased l where t.id = l.task_id
     returning t.id, l.fence, t.seq, t.type, t.payload, t.sealed, t.host_id, t.terminal_id
   )
   select d.id, d.fence, d.type, d.payload, d.sealed, d.host_id, d.terminal_id,
     tm.platform, tm.status as terminal_status, tm.server_name, tm.login, s.sealed as stored_password
   from delivered d
   join terminals tm on tm.id = d.terminal_id
   left join terminal_secrets s on s.terminal_id = d.terminal_id and s.field = 'password' and d.type in (0, 9)
   order by d.seq`,
);

const claimRows = (db: Queryable, claims: readonly Claim[]): Promise<ClaimedRow[]> =>
  db.query<ClaimedRow>(claimStatement, [
    claims.map((claim) => claim.hostId),
    claims.map((claim) => claim.slots),
    LEASE_MS,
    DELIVERED_DEADLINE_MS,
    claims.map((claim) => claim.sessionId),
  ]);

/**
 * The secrets that the task needs, and no others: those of its payload, else the terminal's stored password.
 * @throws SecretError when they were sealed under a key that is gone
 */
const openSecrets = (vault: Vault, row: ClaimedRow): Record<string, unknown> => {
  if (row.sealed !== null)
    return JSON.parse(vault.open(row.sealed, `tasks/${row.id}/secrets`)) as Record<string, unknown>;
  const usesStored = row.type === TaskType.TERMINAL_INSTALL || row.type === TaskType.ACCOUNT_LOGIN;
  if (!usesStored || row.stored_password === null) return {};
  return { password: vault.open(row.stored_password, `terminals/${row.terminal_id}/password`) };
};

/** One that a host brought to light before such texts were refused would put lines of its own into the next host's files. */
const isDeliverable = (secret: unknown): boolean => typeof secret === 'string' && isSingleLine(secret);

/** A secret that does not open must not hold up the other tasks: the attempt goes without it and fails for its own reason. */
const toSecrets = (vault: Vault, log: Logger, row: ClaimedRow): Record<string, unknown> => {
  try {
    const secrets = openSecrets(vault, row);
    if (Object.values(secrets).every(isDeliverable)) return secrets;
    log.error({ taskId: row.id }, 'a stored secret of several lines is not delivered');
    return {};
  } catch (error) {
    log.error({ err: error, taskId: row.id }, 'a task is delivered without its secrets');
    return {};
  }
};

export const toDeliveredTask = (vault: Vault, log: Logger, row: ClaimedRow): DeliveredTask => ({
  id: row.id,
  fence: row.fence,
  type: row.type,
  terminal: {
    id: row.terminal_id,
    platform: row.platform,
    status: row.terminal_status,
    server_name: row.server_name,
    login: row.login,
  },
  payload: row.payload,
  secrets: toSecrets(vault, log, row),
  running_deadline_ms: taskCatalogue[row.type].runningDeadlineMs,
});

/**
 * Gives each claim what was found for its host. A host may wait twice for a moment: on a connection that it gave up, or by an
 * agent that was superseded. What was found goes to the newer one only, or an attempt would be carried out twice under one
 * fence.
 * @param find asked for the newest claim of each host
 */
export const shareAmong = async <Wish extends Claim>(
  claims: readonly Wish[],
  find: (newest: Wish[]) => Promise<ClaimedRow[]>,
  toTask: (row: ClaimedRow) => DeliveredTask,
): Promise<DeliveredTask[][]> => {
  const newest = new Map(claims.map((claim) => [claim.hostId, claim]));
  const byHost = new Map<string, DeliveredTask[]>();
  for (const row of await find([...newest.values()])) {
    const tasks = byHost.get(row.host_id) ?? [];
    byHost.set(row.host_id, tasks);
    tasks.push(toTask(row));
  }
  return claims.map((claim) => (newest.get(claim.hostId) === claim ? (byHost.get(claim.hostId) ?? []) : []));
};

/** Claims for hosts; claims that arrive together share a statement. */
export class TaskClaims {
  readonly #batcher: Batcher<Claim, DeliveredTask[]>;

  constructor(db: Store, vault: Vault, log: Logger) {
    const lane = db.createLane('durable');
    this.#batcher = new Batcher(
      (claims) =>
        shareAmong(
          claims,
          (newest) => claimRows(lane, newest),
          (row) => toDeliveredTask(vault, log, row),
        ),
      { maxItems: MAX_HOSTS_A_CLAIM, isSplit: isRefused },
    );
  }

  /** @returns up to `slots` tasks that are due on the host, in the order in which they were created */
  claim(claim: Claim): Promise<DeliveredTask[]> {
    return this.#batcher.add(claim);
  }
}
