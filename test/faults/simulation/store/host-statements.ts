/** Mirrors of the statements in hosts/queries.ts, hosts/risk-versions.ts, deployment/placement.ts and deployment/waiting.ts. */
import { HostStatus, TaskStatus, TerminalStatus } from '@berth/contract';
import type { Answer, Answers } from './memory-database.ts';
import type { HostRow, Tables, TerminalRow } from './tables.ts';

const findHosts: Answer = (tables, _now, [ids]) =>
  (ids as string[]).flatMap((id) => {
    const host = tables.hosts.get(id);
    if (!host || host.status === HostStatus.RETIRED) return [];
    const { name, region_id, session_id } = host;
    return [{ id, name, region_id, session_id, credential_hash: null }];
  });

/** The facts themselves decide nothing: only the memory does. */
const startSession: Answer = (tables, now, [id, sessionId, , platforms, facts]) => {
  const host = tables.hosts.get(id as string);
  const reported = facts === null ? undefined : (JSON.parse(facts as string) as { memory_capacity: number });
  const session = {
    session_id: sessionId as string,
    platforms: platforms as string[],
    memory_capacity: reported?.memory_capacity ?? null,
  };
  if (!host || host.status === HostStatus.RETIRED) return [];
  tables.set(host, { ...session, status: HostStatus.ONLINE, last_seen_at: now });
  return [{ id: host.id }];
};

const listWanted: Answer = (tables, _now, [hostId]) =>
  [...tables.terminals.values()]
    .filter((terminal) => terminal.host_id === hostId && terminal.deleted_at === null)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, platform, status, server_name, login }) => ({ id, platform, status, server_name, login }));

const touchHosts: Answer = (tables, now, [ids]) =>
  (ids as string[]).flatMap((id) => {
    const host = tables.hosts.get(id);
    if (!host || host.status === HostStatus.RETIRED) return [];
    const wasLost = host.status === HostStatus.LOST;
    tables.set(host, { last_seen_at: now, status: HostStatus.ONLINE });
    return [{ id, was_lost: wasLost }];
  });

const renewLeases: Answer = (tables, now, [hostIds, taskIds, fences, leaseMs]) => {
  const renewed: object[] = [];
  for (const lease of tables.leases.values()) {
    const index = (taskIds as string[]).findIndex(
      (id, place) => id === lease.task_id && fences[place] === lease.fence && hostIds[place] === lease.host_id,
    );
    if (index === -1) continue;
    tables.set(lease, { expires_at: now + (leaseMs as number) });
    renewed.push({ task_id: lease.task_id });
  }
  return renewed;
};

const toPlaces = ({ capacity, memory_capacity: memory }: HostRow): number => Math.min(capacity, memory ?? capacity);

const reserveHost: Answer = (tables, _now, [region, platform]) => {
  const toLoad = (host: HostRow) => Math.fround(host.terminal_count) / toPlaces(host);
  const [host] = [...tables.hosts.values()]
    .filter(
      (each) =>
        each.region_id === region && each.status === HostStatus.ONLINE && each.platforms.includes(platform as string),
    )
    .filter((each) => each.terminal_count < toPlaces(each))
    .sort((a, b) => toLoad(a) - toLoad(b) || (a.id < b.id ? -1 : 1));
  if (!host) return [];
  tables.set(host, { terminal_count: host.terminal_count + 1 });
  return [{ id: host.id }];
};

export const isWaiting = ({ waiting_since: since, host_id: hostId, deleted_at: deletedAt }: TerminalRow): boolean =>
  since !== null && hostId === null && deletedAt === null;

/** Places by region and platform. */
const listFree = (tables: Tables): Map<string, number> => {
  const free = new Map<string, number>();
  for (const host of tables.hosts.values()) {
    const { status, region_id: region, platforms, terminal_count: count } = host;
    const left = toPlaces(host) - count;
    if (status !== HostStatus.ONLINE || left <= 0) continue;
    for (const name of platforms) {
      const key = `${region} ${name}`;
      free.set(key, (free.get(key) ?? 0) + left);
    }
  }
  return free;
};

const byAge = (a: TerminalRow, b: TerminalRow): number => a.waiting_since! - b.waiting_since! || (a.id < b.id ? -1 : 1);

/** Who waits in a place, the users in turn and each one's terminals from the oldest on. */
const listTurns = (tables: Tables, key: string, most: number) => {
  const here = [...tables.terminals.values()].filter((t) => isWaiting(t) && `${t.region_id} ${t.platform}` === key);
  const users = [...new Set(here.map((terminal) => terminal.user_id))].sort();
  const last = tables.placementTurns.get(key)?.user_id ?? '';
  const next = users.findIndex((user) => user > last);
  return users.slice(Math.max(0, next), Math.max(0, next) + most).flatMap((user, number) =>
    here
      .filter((terminal) => terminal.user_id === user)
      .sort(byAge)
      .slice(0, most)
      .map((terminal, turn) => ({ terminal, turn, number })),
  );
};

const listWaiting: Answer = (tables, _now, [limit]) =>
  [...listFree(tables)]
    .flatMap(([key, places]) =>
      listTurns(tables, key, Math.min(places, limit as number))
        .sort((a, b) => a.turn - b.turn || a.number - b.number)
        .slice(0, places),
    )
    .sort((a, b) => a.turn - b.turn || a.number - b.number)
    .slice(0, limit as number)
    .filter(({ terminal }) => terminal.status === TerminalStatus.PENDING)
    .map(({ terminal: { id, region_id: region, platform, user_id: userId } }) => ({
      ...{ id, region, platform },
      user_id: userId,
      has_left: false,
    }));

const assign: Answer = (tables, now, [id, hostId, retired, moved]) => {
  const terminal = tables.terminals.get(id as string);
  if (terminal) {
    const reason = terminal.status_reason === retired ? (moved as string) : null;
    tables.set(terminal, { host_id: hostId as string, waiting_since: null, status_reason: reason, updated_at: now });
  }
  for (const task of tables.listOpen(id as string)) {
    if (task.host_id !== null) continue;
    tables.setTask(task, {
      host_id: hostId as string,
      state_since: task.status === TaskStatus.QUEUED ? now : task.state_since,
    });
  }
  return [];
};

const noteTurns: Answer = (tables, _now, [regions, platforms, users]) => {
  (users as string[]).forEach((user, index) =>
    tables.put(tables.placementTurns, `${regions[index]} ${platforms[index]}`, { user_id: user }),
  );
  return [];
};

const hasWaiting: Answer = (tables, _now, [region, platform]) =>
  [...tables.terminals.values()]
    .filter((t) => isWaiting(t) && t.region_id === region && t.platform === platform)
    .slice(0, 1)
    .map(() => ({}));

const listLongWaiting: Answer = (tables, now, [hours, limit]) =>
  [...tables.terminals.values()]
    .filter((t) => isWaiting(t) && t.status === TerminalStatus.PENDING)
    .filter((t) => t.waiting_since! < now - tables.scheduler.time_lost - (hours as number) * 3_600_000)
    .sort((a, b) => a.waiting_since! - b.waiting_since!)
    .slice(0, limit as number)
    .map(({ id }) => ({ id }));

/** Makes a host, as an enrolment does. */
export const insertHost = (tables: Tables, host: Pick<HostRow, 'id' | 'name' | 'capacity'>): void =>
  tables.put(tables.hosts, host.id, {
    ...host,
    region_id: 0,
    platforms: ['sandbox'],
    memory_capacity: null,
    terminal_count: 0,
    status: HostStatus.ENROLLED,
    session_id: null,
    last_seen_at: null,
  });

export const hostStatements: Answers = {
  find_hosts_for_credentials: findHosts,
  start_session: startSession,
  list_wanted_terminals: listWanted,
  touch_hosts: touchHosts,
  // The simulation has no risk rules.
  find_host_risk_versions: () => [],
  // No terminal is moved.
  list_left_terminals: () => [],
  renew_leases: renewLeases,
  reserve_host: reserveHost,
  list_waiting_terminals: listWaiting,
  // Nobody is suspended.
  list_held_users: () => [],
  find_held_user: () => [{ is_held: false }],
  // The simulation has no operator, and one region.
  list_operators: () => [],
  change_open_regions: () => [],
  assign_terminal: assign,
  note_placement_turns: noteTurns,
  has_waiting_terminal: hasWaiting,
  list_long_waiting_terminals: listLongWaiting,
};
