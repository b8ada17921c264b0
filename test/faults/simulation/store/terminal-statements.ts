/** Mirrors of the statements in terminals/ and of those beside them that only leave a note. */
import { observableStatuses, TerminalStatus } from '@berth/contract';
import type { Answer, Answers } from './memory-database.ts';
import type { Tables, TerminalRow } from './tables.ts';

const lockTerminals: Answer = (tables, _now, [ids]) =>
  (ids as string[]).flatMap((id) => {
    const terminal = tables.terminals.get(id);
    if (terminal?.deleted_at !== null) return [];
    const { user_id, host_id, name, status, status_reason, announced_status, server_name, login } = terminal;
    const { path, trading_allowed, trading_reason } = terminal;
    const state = { status, status_reason, announced_status };
    return [{ id, user_id, host_id, name, server_name, login, path, trading_allowed, trading_reason, ...state }];
  });

const lockOwnTerminal: Answer = (tables, _now, [id, userId]) => {
  const terminal = tables.terminals.get(id as string);
  if (terminal?.user_id !== userId || terminal?.deleted_at !== null) return [];
  return [{ id: terminal.id, status: terminal.status, host_id: terminal.host_id }];
};

const writeOne = (tables: Tables, now: number, terminal: TerminalRow, written: Written): void => {
  const { isMoved, isSynced, ...columns } = written;
  const host =
    columns.status === TerminalStatus.DESTROYED && terminal.host_id !== null
      ? tables.hosts.get(terminal.host_id)
      : undefined;
  if (host) tables.set(host, { terminal_count: Math.max(0, host.terminal_count - 1) });
  if (columns.status === TerminalStatus.DESTROYED) tables.remove(tables.passwords, terminal.id);
  tables.set(terminal, {
    ...columns,
    waiting_since: columns.status === TerminalStatus.PENDING ? terminal.waiting_since : null,
    updated_at: isMoved ? now : terminal.updated_at,
    synced_at: isSynced ? now : terminal.synced_at,
    deleted_at: columns.status === TerminalStatus.DESTROYED ? now : null,
  });
};

type Written = Pick<
  TerminalRow,
  | 'status'
  | 'status_reason'
  | 'announced_status'
  | 'server_name'
  | 'login'
  | 'path'
  | 'trading_allowed'
  | 'trading_reason'
> & {
  isMoved: boolean;
  isSynced: boolean;
};

const writeTerminals: Answer = (tables, now, values) => {
  const [ids, statuses, reasons, announced, serverNames, logins, paths, moved, synced, tradingAllowed, tradingReasons] =
    values;
  (ids as string[]).forEach((id, index) => {
    const terminal = tables.terminals.get(id);
    if (!terminal) return;
    writeOne(tables, now, terminal, {
      status: statuses[index],
      status_reason: reasons[index],
      announced_status: announced[index],
      server_name: serverNames[index],
      login: logins[index],
      path: paths[index],
      trading_allowed: tradingAllowed[index],
      trading_reason: tradingReasons[index],
      isMoved: moved[index],
      isSynced: synced[index],
    });
  });
  return [];
};

const insertTerminal: Answer = (tables, now, values) => {
  const [id, userId, , hostId, region, platform, name, serverName, login, reason] = values;
  tables.put(tables.terminals, id as string, {
    id,
    user_id: userId,
    host_id: hostId,
    region_id: region,
    platform,
    name,
    server_name: serverName,
    login,
    path: null,
    locked_reason: null,
    trading_allowed: null,
    trading_reason: null,
    status: TerminalStatus.PENDING,
    status_reason: reason,
    announced_status: null,
    synced_at: null,
    waiting_since: hostId === null ? now - tables.scheduler.time_lost : null,
    created_at: now,
    updated_at: now,
    deleted_at: null,
  });
  return [{ id }];
};

const storePassword: Answer = (tables, _now, [terminalId, sealed]) => {
  tables.put(tables.passwords, terminalId as string, sealed as string);
  return [];
};

const forgetPassword: Answer = (tables, _now, [terminalId]) => {
  tables.remove(tables.passwords, terminalId as string);
  return [];
};

const insertNotifications: Answer = (tables, now, [, users, types, resources, , countedMs]) => {
  const { notifications } = tables;
  const sent = (types as string[]).map((type, index) => ({
    ...{ type, user_id: users[index] as string, resource_id: resources[index] as string },
  }));
  const lasts = sent.map(({ user_id: userId, type, resource_id: id }) =>
    notifications.findLast(
      (n) => n.user_id === userId && n.type === type && n.resource_id === id && n.created_at > now - countedMs,
    ),
  );
  const { length } = notifications;
  tables.undo?.push(() => notifications.splice(length));
  sent.forEach((each, index) => {
    const last = lasts[index];
    if (last) tables.set(last, { count: last.count + 1 });
    else notifications.push({ ...each, count: 1, created_at: now });
  });
  return [];
};

const isObservable = (status: number): boolean => (observableStatuses as readonly number[]).includes(status);

const markUnreachable: Answer = (tables, now, [hostIds]) =>
  [...tables.terminals.values()]
    .filter(({ host_id: id, deleted_at: deletedAt, status }) => {
      return id !== null && (hostIds as string[]).includes(id) && deletedAt === null && isObservable(status);
    })
    .map((terminal) => {
      const reason = 'Host offline – the terminal may still be running.';
      const { id, user_id, host_id, name, status: from_status } = terminal;
      tables.set(terminal, { status: TerminalStatus.UNREACHABLE, status_reason: reason, updated_at: now });
      return { id, user_id, host_id, name, from_status, status: TerminalStatus.UNREACHABLE, status_reason: reason };
    });

export const terminalStatements: Answers = {
  lock_terminals: lockTerminals,
  lock_own_terminal: lockOwnTerminal,
  write_terminals: writeTerminals,
  insert_terminal: insertTerminal,
  store_terminal_password: storePassword,
  forget_terminal_password: forgetPassword,
  insert_notifications: insertNotifications,
  // The log is read by nobody here: its tests are on PostgreSQL.
  insert_events: () => [],
  // The log of events is not simulated, and so are no bounds of it.
  read_event_allowances: () => [],
  write_event_allowances: () => [],
  release_skipped_events: () => [],
  insert_downs: () => [],
  delete_downs: () => [],
  // No stop of all algo trading is simulated.
  confirm_trading_stop: () => [],
  release_from_trading_stop: () => [],
  // No terminal is made from a snapshot, and no host retired.
  list_terminal_setups: () => [],
  list_former_setup_tasks: () => [],
  note_terminal_setups: () => [],
  hold_restored_terminals: () => [],
  resume_trading: () => [],
  // Nor is one moved.
  leave_hosts_of_moves: () => [],
  list_moving_terminals: () => [],
  lock_terminal_move: () => [],
  mark_unreachable_terminals: markUnreachable,
};
