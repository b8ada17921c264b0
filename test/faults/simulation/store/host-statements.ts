/** Mirrors of the statements in hosts/queries.ts and terminals/placement.ts. */
import type { Answer, Answers } from './memory-database.ts';
import type { HostRow, Tables } from './tables.ts';

const findHosts: Answer = (tables, _now, [ids]) =>
  (ids as string[]).flatMap((id) => {
    const host = tables.hosts.get(id);
    return host && host.status !== 3 ? [{ ...host, credential_hash: null }] : [];
  });

const startSession: Answer = (tables, now, [id, sessionId, , platforms]) => {
  const host = tables.hosts.get(id as string);
  const session = { session_id: sessionId as string, platforms: platforms as string[] };
  if (host) tables.set(host, { ...session, status: 1, last_seen_at: now });
  return [];
};

const listWanted: Answer = (tables, _now, [hostId]) =>
  [...tables.terminals.values()]
    .filter((terminal) => terminal.host_id === hostId && terminal.deleted_at === null)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, platform, status, server_name, login }) => ({ id, platform, status, server_name, login }));

const touchHosts: Answer = (tables, now, [ids]) =>
  (ids as string[]).flatMap((id) => {
    const host = tables.hosts.get(id);
    if (!host || host.status === 3) return [];
    const wasLost = host.status === 2;
    tables.set(host, { last_seen_at: now, status: 1 });
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

const reserveHost: Answer = (tables, _now, [region, platform]) => {
  const toLoad = (count: number, capacity: number) => Math.fround(count) / capacity;
  const [host] = [...tables.hosts.values()]
    .filter((each) => each.region_id === region && each.status === 1 && each.platforms.includes(platform as string))
    .filter((each) => each.terminal_count < each.capacity)
    .sort(
      (a, b) => toLoad(a.terminal_count, a.capacity) - toLoad(b.terminal_count, b.capacity) || (a.id < b.id ? -1 : 1),
    );
  if (!host) return [];
  tables.set(host, { terminal_count: host.terminal_count + 1 });
  return [{ id: host.id }];
};

const listWaiting: Answer = (tables, _now, [limit]) =>
  [...tables.terminals.values()]
    .filter((terminal) => terminal.host_id === null && terminal.deleted_at === null && terminal.status === 0)
    .sort((a, b) => a.created_at - b.created_at)
    .slice(0, limit as number)
    .map(({ id, region_id: region, platform }) => ({ id, region, platform }));

const assign: Answer = (tables, now, [id, hostId]) => {
  const terminal = tables.terminals.get(id as string);
  if (terminal) tables.set(terminal, { host_id: hostId as string, status_reason: null, updated_at: now });
  for (const task of tables.tasks.values()) {
    if (task.terminal_id === id && task.finished_at === null) tables.setTask(task, { host_id: hostId as string });
  }
  return [];
};

/** Makes a host, as an enrolment does. */
export const insertHost = (tables: Tables, host: Pick<HostRow, 'id' | 'name' | 'capacity'>): void =>
  tables.put(tables.hosts, host.id, {
    ...host,
    region_id: 0,
    platforms: ['sandbox'],
    terminal_count: 0,
    status: 0,
    session_id: null,
    last_seen_at: null,
  });

export const hostStatements: Answers = {
  find_hosts_for_credentials: findHosts,
  start_session: startSession,
  list_wanted_terminals: listWanted,
  touch_hosts: touchHosts,
  renew_leases: renewLeases,
  reserve_host: reserveHost,
  list_waiting_terminals: listWaiting,
  assign_terminal: assign,
};
