/** What `explain` goes by: one statement, the storage of its owner, and the place in the queue of one that waits for a slot. */
import {
  HostStatus,
  TaskStatus,
  TaskType,
  type AccountStatus,
  type StepCode,
  type SuspendedTerminals,
  type TerminalStatus,
} from '@berth/contract';
import type { ServerConfig } from '../../config.ts';
import { isWithin } from '../../db/clock.ts';
import { sql, type Queryable } from '../../db/database.ts';
import type { StorageBudget } from '../../storage/budget.ts';
import { listQueuePlaces } from './queue-places.ts';

/** Tasks that bring a terminal to another status: the others say nothing about why it does not run. */
export const movingTypes = [
  TaskType.TERMINAL_INSTALL,
  TaskType.TERMINAL_DESTROY,
  TaskType.ACCOUNT_SERVER,
  TaskType.ACCOUNT_LOGIN,
  TaskType.ACCOUNT_LOGOUT,
  TaskType.ACCOUNT_OPEN_DEMO,
  TaskType.TERMINAL_RESTART,
  TaskType.TERMINAL_STOP,
  TaskType.TERMINAL_START,
] as const;
export type MovingType = (typeof movingTypes)[number];

interface HostFacts {
  name: string;
  status: HostStatus;
  last_seen_at: string | null;
  agent_version: string | null;
  disk_available_mb: number | null;
  is_cordoned: boolean;
  drain_started_at: string | null;
}

export interface TerminalFacts {
  status: TerminalStatus;
  status_reason: string | null;
  status_changed_at: string;
  platform: string;
  server_name: string;
  login: string;
  locked_reason: string | null;
  has_password: boolean;
  /** Its host stopped it because the host is being drained. */
  is_drained: boolean;
  user: {
    status: AccountStatus;
    suspended_at: string | null;
    suspended_terminals: SuspendedTerminals | null;
    closed_at: string | null;
    plan: number;
    /** null: any number. */
    terminal_limit: number | null;
    terminals: number;
  };
  storage: { used_bytes: number; quota_bytes: number };
  /** Hosts that take its platform. */
  region: {
    name: string;
    accepts_terminals: boolean;
    hosts: number;
    online: number;
    free: number;
    /** A host that has room but is cordoned. */
    cordoned: string | null;
  };
  /** 1: it is next; null: it does not wait for a slot. */
  queue_place: number | null;
  host: HostFacts | null;
  /** The moving task that runs, or else the first one that waits. */
  task: { type: MovingType; status: TaskStatus; attempts: number; state_since: string } | null;
  /** The moving task that ended last. */
  last: {
    type: MovingType;
    status: TaskStatus;
    actor: string;
    finished_at: string;
    code: StepCode | null;
    message: string | null;
  } | null;
  ping_ms: number | null;
  failed_experts: { total: number; name: string | null; since: string | null };
}

/** Of a terminal's newest tasks: it may have ended a hundred thousand. */
const LOOKED_AT_TASKS = 500;
/** As many terminals of a user are counted. */
const COUNTED_TERMINALS = 10_001;
const types = movingTypes.join(', ');

const openOf = (host: string) =>
  `(select type, status, attempts, state_since, lane, seq from tasks
    where ${host} and terminal_id = t.id and finished_at is null and type in (${types})
      and (planned_at is null or planned_at <= now()))`;

/**
 * The terminal $1.
 * @param isAsked whose it has to be
 */
const toText = (isAsked: string): string => `
  select t.user_id, t.status, t.status_reason, t.status_changed_at, t.platform, t.server_name, t.login, t.locked_reason,
    exists (select from terminal_secrets s where s.terminal_id = t.id and s.field = 'password') as has_password,
    t.drain_task_id is not null as is_drained,
    json_build_object('status', u.status, 'suspended_at', u.suspended_at, 'suspended_terminals', u.suspended_terminals,
      'closed_at', u.closed_at, 'plan', u.plan, 'terminal_limit', u.terminal_limit, 'terminals', (
        select count(*) from (
          select from terminals o where o.user_id = t.user_id and o.deleted_at is null limit ${COUNTED_TERMINALS}
        ) o
      )) as user,
    json_build_object('name', r.label, 'accepts_terminals', r.accepts_terminals, 'hosts', c.hosts, 'online', c.online,
      'free', c.free, 'cordoned', c.cordoned) as region,
    case when h.id is not null then json_build_object('name', h.name, 'status', h.status, 'last_seen_at', h.last_seen_at,
      'agent_version', h.agent_version, 'is_cordoned', h.cordoned_at is not null, 'drain_started_at', h.drain_started_at,
      'disk_available_mb', (select f.facts -> 'disk_available_mb' from host_facts f where f.host_id = h.id)) end as host,
    to_json(o) as task, to_json(l) as last,
    (select p.ping_ms from terminal_loads p where p.terminal_id = t.id
     and ${isWithin('p.sampled_at', `interval '1 minute'`)}) as ping_ms,
    (select json_build_object('total', count(*), 'name', min(e.expert), 'since', min(e.since)) from failed_experts e
     where e.terminal_id = t.id) as failed_experts
  from terminals t
  join users u on u.id = t.user_id
  join regions r on r.id = t.region_id
  left join hosts h on h.id = t.host_id
  cross join lateral (
    select count(*) as hosts, count(*) filter (where status = ${HostStatus.ONLINE}) as online,
      coalesce(sum(greatest(0, places - terminal_count))
        filter (where status = ${HostStatus.ONLINE} and cordoned_at is null and drain_started_at is null), 0) as free,
      min(name) filter (where status = ${HostStatus.ONLINE} and cordoned_at is not null and terminal_count < places)
        as cordoned
    from hosts
    where region_id = t.region_id and status <> ${HostStatus.RETIRED} and t.platform = any(platforms)
  ) c
  left join lateral (
    select type, status, attempts, state_since from (
      ${openOf('host_id = t.host_id')} union all ${openOf('t.host_id is null and host_id is null')}
    ) open
    order by status in (${TaskStatus.DELIVERED}, ${TaskStatus.RUNNING}) desc, lane, seq limit 1
  ) o on true
  left join lateral (
    select type, status, actor, finished_at, result -> 'runner_result' -> -1 ->> 'code' as code,
      result -> 'runner_result' -> -1 ->> 'message' as message
    from (
      select * from tasks where terminal_id = t.id order by seq desc limit ${LOOKED_AT_TASKS}
    ) newest
    where finished_at is not null and type in (${types})
    order by finished_at desc limit 1
  ) l on true
  where t.id = $1 and t.deleted_at is null and ${isAsked}`;

const ownStatement = sql('explain_own_terminal', toText('t.user_id = $2'));
const anyStatement = sql('explain_terminal', toText('true'));

type Row = Omit<TerminalFacts, 'queue_place' | 'storage'> & { user_id: string };

/** What they need besides the database: what plans allow. */
export interface FactParts {
  config: Pick<ServerConfig, 'terminalLimits'>;
  storage: Pick<StorageBudget, 'read'>;
}

const complete = async (
  db: Queryable,
  { config, storage }: FactParts,
  id: string,
  row: Row | undefined,
): Promise<TerminalFacts | undefined> => {
  if (!row) return undefined;
  const { user_id: userId, ...facts } = row;
  const terminal_limit = row.user.terminal_limit ?? config.terminalLimits.get(row.user.plan) ?? null;
  const places = row.host === null ? await listQueuePlaces(db, [id]) : undefined;
  const { used_bytes, quota_bytes } = await storage.read(userId);
  return {
    ...facts,
    user: { ...row.user, terminal_limit },
    storage: { used_bytes, quota_bytes },
    queue_place: places?.get(id.toLowerCase()) ?? null,
  };
};

/** @returns undefined where the user has no such terminal */
export const findOwnFacts = async (
  db: Queryable,
  parts: FactParts,
  userId: string,
  id: string,
): Promise<TerminalFacts | undefined> => complete(db, parts, id, (await db.query<Row>(ownStatement, [id, userId]))[0]);

/** For operators: of whichever user. */
export const findFacts = async (db: Queryable, parts: FactParts, id: string): Promise<TerminalFacts | undefined> =>
  complete(db, parts, id, (await db.query<Row>(anyStatement, [id]))[0]);

/** What tasks are called in a sentence. */
export const taskNames: Record<MovingType, string> = {
  [TaskType.TERMINAL_INSTALL]: 'The installation',
  [TaskType.TERMINAL_DESTROY]: 'The deletion',
  [TaskType.ACCOUNT_SERVER]: 'The list of trading servers',
  [TaskType.ACCOUNT_LOGIN]: 'The login',
  [TaskType.ACCOUNT_LOGOUT]: 'The logout',
  [TaskType.ACCOUNT_OPEN_DEMO]: 'The opening of a demo account',
  [TaskType.TERMINAL_RESTART]: 'The restart',
  [TaskType.TERMINAL_STOP]: 'The stop',
  [TaskType.TERMINAL_START]: 'The start',
};
