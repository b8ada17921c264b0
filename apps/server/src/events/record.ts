/**
 * The one place where events are written. Whoever changes something records here what happened, in the transaction of
 * the change; what follows from it is written here, too: the log of events and the owner's notifications. No other file
 * does that. What open pages have to read again is announced by the triggers of the tables, whoever changes them
 * (`live-events.ts`).
 */
import { taskCatalogue, TaskStatus, TerminalStatus, type DownCause, type EventData } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { releaseSkipped, takeAllowed } from './allowance.ts';
import { insertEvents, type Occurrence } from './log.ts';
import { insertNotifications, type NewNotification } from '../notifications/queries.ts';

export type { Occurrence } from './log.ts';

const { DISCONNECTED, LOGIN_FAILED, FAILED, UNREACHABLE, CONNECTING, PENDING, INSTALLING } = TerminalStatus;

/** They should run, and do not. */
const down: ReadonlySet<TerminalStatus> = new Set([DISCONNECTED, LOGIN_FAILED, FAILED, UNREACHABLE]);
/** It never ran, so it cannot go down. */
const beforeInstalled: ReadonlySet<TerminalStatus | null> = new Set([null, PENDING, INSTALLING]);

const insertStatement = sql(
  'insert_downs',
  `insert into terminal_downs (terminal_id) select id from terminals where id = any($1::uuid[]) order by id
   on conflict (terminal_id) do nothing returning terminal_id as id`,
);
const deleteStatement = sql(
  'delete_downs',
  `delete from terminal_downs where terminal_id = any($1::uuid[]) returning terminal_id as id`,
);

interface Move {
  id: string;
  from: TerminalStatus | null;
  to: TerminalStatus;
}

/**
 * Notes which terminals go down, and which are not any more, by the last move of each. CONNECTING changes nothing.
 * @returns those that went down, and those that are back; one that its owner stopped or deletes is neither
 */
const noteDowns = async (tx: Queryable, moves: readonly Move[]): Promise<{ gone: Set<string>; back: Set<string> }> => {
  const going = moves.filter(({ from, to }) => down.has(to) && !beforeInstalled.has(from));
  const ending = moves.filter(({ from, to }) => !down.has(to) && to !== CONNECTING && !beforeInstalled.has(from));
  const run = async (statement: typeof insertStatement, ids: string[]): Promise<string[]> =>
    ids.length === 0 ? [] : (await tx.query<{ id: string }>(statement, [ids])).map(({ id }) => id);
  const gone = await run(
    insertStatement,
    going.map(({ id }) => id),
  );
  const ended = new Set(
    await run(
      deleteStatement,
      ending.map(({ id }) => id),
    ),
  );
  const isBack = ({ id, to }: Move): boolean => to === TerminalStatus.ACTIVE && ended.has(id);
  return { gone: new Set(gone), back: new Set(moves.filter(isBack).map(({ id }) => id)) };
};

/** What is notified of a terminal that came to a status. A refused login has an event of its own. */
const byStatus = {
  [TerminalStatus.ACTIVE]: 'TerminalReady',
  [TerminalStatus.DISCONNECTED]: 'TerminalDisconnected',
  [TerminalStatus.FAILED]: 'TerminalFailed',
  [TerminalStatus.DESTROYED]: 'TerminalDestroyed',
} as const;

/** Why it is down, by its status. */
const causes: Partial<Record<TerminalStatus, DownCause>> = {
  [TerminalStatus.LOGIN_FAILED]: 'login',
  [TerminalStatus.UNREACHABLE]: 'host',
  [TerminalStatus.FAILED]: 'installation',
};

const isNotified = (status: TerminalStatus): status is keyof typeof byStatus => status in byStatus;

/** What is notified of an event, and of which resource. */
const findNotification = ({ type, userId, terminalId, data }: Occurrence): NewNotification | undefined => {
  const about = { userId, id: terminalId ?? userId };
  switch (type) {
    case 'terminal.status_changed':
      if (data.to === TerminalStatus.DISCONNECTED && data.exit)
        return { ...about, type: 'TerminalCrashed', name: data.name };
      return isNotified(data.to) ? { ...about, type: byStatus[data.to], name: data.name } : undefined;
    case 'terminal.login_failed':
      return { ...about, type: 'TerminalLoginFailed', name: data.name };
    case 'task.finished':
      return data.status === TaskStatus.FAILED || data.status === TaskStatus.TERMINATED
        ? { userId, type: 'TaskFailed', id: data.task_id, name: taskCatalogue[data.type].name }
        : undefined;
    case 'risk.breached':
      return data.actions.includes('notify') ? { ...about, type: 'RiskBreached', name: data.name } : undefined;
    case 'host.lost':
      return { userId, type: 'HostLost', id: data.host_id, name: data.name };
    case 'backup.failed':
      return { ...about, type: 'BackupFailed', name: '' };
    case 'alert.opened':
      return { userId, type: 'AlertOpened', id: data.alert_id, name: data.name };
    case 'alert.resolved':
      return { userId, type: 'AlertResolved', id: data.alert_id, name: data.name };
    case 'security.webhook_disabled':
      // Its name would be its address, which is often a secret.
      return { userId, type: 'WebhookDisabled', id: data.webhook_id, name: '' };
    case 'security.token_created':
      return { userId, type: 'TokenCreated', id: String(data.token_id), name: data.name };
    case 'security.password_changed':
      return { ...about, type: 'PasswordChanged', name: data.name };
    case 'terminal.down':
    case 'terminal.up':
    case 'terminal.other_account':
    case 'terminal.updated':
    case 'trading.switched':
    case 'risk.warning':
    case 'account.deal':
    case 'expert.failed':
    case 'host.back':
    case 'security.sign_in':
    case 'security.unlocked':
    case 'security.webhook_created':
    case 'security.webhook_changed':
    case 'security.webhook_deleted':
      return undefined;
  }
};

const toDown = ({
  name,
  to: status,
  reason,
  exit,
}: EventData<'terminal.status_changed'>): EventData<'terminal.down'> => {
  const cause: DownCause = exit ? 'process' : (causes[status] ?? 'connection');
  return { name, status, reason, cause, exit: exit ?? null };
};

/** With the changes of status, which terminals went down by them, or are back. Of several of a terminal the last one counts. */
const withDowns = async (tx: Queryable, occurrences: readonly Occurrence[]): Promise<Occurrence[]> => {
  const last = new Map<string, Occurrence & { type: 'terminal.status_changed' }>();
  for (const occurrence of occurrences) {
    if (occurrence.type === 'terminal.status_changed' && occurrence.terminalId !== null)
      last.set(occurrence.terminalId, occurrence);
  }
  const { gone, back } = await noteDowns(
    tx,
    [...last].map(([id, { data }]) => ({ id, ...data })),
  );
  const toOccurrence = (id: string): Occurrence => {
    const { userId, data } = last.get(id)!;
    const about = { userId, terminalId: id };
    return back.has(id)
      ? { ...about, type: 'terminal.up', data: { name: data.name } }
      : { ...about, type: 'terminal.down', data: toDown(data) };
  };
  return [...occurrences, ...[...gone, ...back].map(toOccurrence)];
};

const write = async (tx: Queryable, occurrences: readonly Occurrence[]): Promise<void> => {
  if (occurrences.length === 0) return;
  const isLoud = ({ isQuiet }: Occurrence): boolean => isQuiet !== true;
  await insertNotifications(
    tx,
    occurrences.filter(isLoud).flatMap((occurrence) => findNotification(occurrence) ?? []),
  );
  // Last, because nobody reads further while it is under way.
  await insertEvents(tx, await withDowns(tx, occurrences));
};

/**
 * Writes what happened, in the transaction that makes it happen: as one of its last statements, because readers of the
 * log wait for its end.
 */
export const recordEvents = async (tx: Queryable, occurrences: readonly Occurrence[]): Promise<void> => {
  if (occurrences.length > 0) await write(tx, await takeAllowed(tx, occurrences));
};

/** Writes where the terminals are whose events were skipped, as soon as their allowance permits it. */
export const recordSkippedChanges = async (tx: Queryable, limit: number): Promise<void> =>
  write(tx, await releaseSkipped(tx, limit));
