/** The current state of terminals: for the few of a page, by one statement. */
import {
  linkStates,
  TerminalStatus,
  toTerminalStatusName,
  type TerminalItem,
  type LinkState,
  type TerminalListItem,
  type TerminalStatusName,
} from '@berth/contract';
import { isWithin } from '../db/clock.ts';
import { sql, type Queryable } from '../db/database.ts';
import { toShownMove, type MovePhase } from './moves.ts';
import { findSameAccounts } from './same-account.ts';

/** Older measurements say nothing about the present: hosts measure every 15 seconds. */
const FRESH = `interval '1 minute'`;

const listStatement = sql(
  'list_terminal_details',
  `select t.id, t.platform, t.status_reason, t.status_changed_at, t.screenshot_every_minutes, t.tags, t.notes, t.external_id,
     t.locked_reason, h.name as host_name, m.phase, m.target_region, m.created_at as move_started_at, m.reason as move_reason,
     l.link, l.link_since, l.ping_ms, l.memory_mb, l.cpu_permille, l.build, ${isWithin('l.sampled_at', FRESH)} as is_fresh,
     l.sampled_at >= t.status_changed_at as is_newer, ${isWithin('t.status_changed_at', FRESH)} as has_moved,
     t.status,
     f.id as file_id, s.taken_at
   from unnest($1::uuid[]) as a (id)
   cross join lateral (select * from terminals where id = a.id offset 0) t
   left join lateral (select name from hosts where id = t.host_id) h on true
   left join lateral (select * from terminal_moves where terminal_id = t.id) m on true
   left join lateral (select * from terminal_loads where terminal_id = t.id) l on true
   left join lateral (select file_id, taken_at from terminal_screenshots where terminal_id = t.id) s on true
   left join lateral (
     select id from files where id = s.file_id and (expires_at is null or expires_at > now())
   ) f on true`,
);

interface Row {
  id: string;
  status: TerminalStatus;
  platform: NonNullable<TerminalListItem['platform']>;
  status_reason: string | null;
  status_changed_at: string;
  screenshot_every_minutes: number | null;
  tags: string[];
  notes: string | null;
  external_id: string | null;
  locked_reason: string | null;
  host_name: string | null;
  /** Of its move; null: it is not moved. */
  phase: MovePhase | null;
  target_region: number;
  move_started_at: string;
  move_reason: string | null;
  link: number | null;
  link_since: string | null;
  ping_ms: number | null;
  memory_mb: number | null;
  cpu_permille: number | null;
  build: number | null;
  is_fresh: boolean | null;
  /** It was measured after the terminal came to its status. */
  is_newer: boolean | null;
  /** The terminal came to its status a moment ago. */
  has_moved: boolean;
  file_id: string | null;
  taken_at: string;
}

type State = Required<
  Pick<
    TerminalListItem,
    | 'host_name'
    | 'link'
    | 'screenshot'
    | 'screenshot_every_minutes'
    | 'locked_reason'
    | 'memory_mb'
    | 'cpu_percent'
    | 'build'
    | 'tags'
    | 'notes'
    | 'external_id'
    | 'move'
    | 'same_account_as'
  >
>;

/** The link of a terminal in a status: what is measured every 15 seconds may be older, and does not contradict it. */
const linkOf: Partial<Record<TerminalStatus, LinkState>> = {
  [TerminalStatus.ACTIVE]: 'up',
  [TerminalStatus.DISCONNECTED]: 'down',
  [TerminalStatus.LOGIN_FAILED]: 'down',
  [TerminalStatus.STOPPED]: 'stopped',
};

const toLink = (row: Row, isFresh: boolean): State['link'] => {
  const state = linkOf[row.status];
  if (state === undefined || !(isFresh || row.has_moved)) return { state: 'unknown', since: null, ping_ms: null };
  const isMeasured = isFresh && row.is_newer === true && linkStates[row.link ?? -1] === state;
  if (!isMeasured) return { state, since: row.status_changed_at, ping_ms: null };
  return { state, since: row.link_since, ping_ms: row.ping_ms };
};

const toMove = ({ phase, ...row }: Row): State['move'] =>
  phase === null ? null : toShownMove({ ...row, phase, created_at: row.move_started_at, reason: row.move_reason });

const toState = (row: Row, sameAccount: State['same_account_as'] = null): State => {
  const isFresh = row.is_fresh === true;
  return {
    host_name: row.host_name,
    link: toLink(row, isFresh),
    screenshot: row.file_id === null ? null : { file_id: row.file_id, taken_at: row.taken_at },
    screenshot_every_minutes: row.screenshot_every_minutes,
    locked_reason: row.locked_reason,
    memory_mb: isFresh ? row.memory_mb : null,
    cpu_percent: isFresh && row.cpu_permille !== null ? row.cpu_permille / 10 : null,
    build: row.build,
    tags: row.tags,
    notes: row.notes,
    external_id: row.external_id,
    move: toMove(row),
    same_account_as: sameAccount,
  };
};

const listRows = async (db: Queryable, ids: readonly string[]): Promise<Map<string, Row>> =>
  new Map((ids.length === 0 ? [] : await db.query<Row>(listStatement, [ids])).map((row) => [row.id, row]));

/** The items with the state of each; they are the caller's own, and at most a page. */
export const withDetails = async (
  db: Queryable,
  userId: string,
  items: readonly TerminalItem[],
): Promise<TerminalListItem[]> => {
  const ids = items.map(({ id }) => id);
  const [rows, sameAccounts] = await Promise.all([listRows(db, ids), findSameAccounts(db, userId, ids)]);
  return items.map((item) => {
    const row = rows.get(item.id);
    if (!row) return item;
    const { platform, status_reason, status_changed_at } = row;
    const status_name: TerminalStatusName = toTerminalStatusName(item.status);
    return {
      ...item,
      platform,
      status_name,
      status_reason,
      status_changed_at,
      ...toState(row, sameAccounts.get(item.id)),
    };
  });
};

/** The same for one terminal. */
export const findState = async (db: Queryable, userId: string, id: string): Promise<State | undefined> => {
  const [rows, sameAccounts] = await Promise.all([listRows(db, [id]), findSameAccounts(db, userId, [id])]);
  const row = rows.get(id);
  return row && toState(row, sameAccounts.get(id));
};
