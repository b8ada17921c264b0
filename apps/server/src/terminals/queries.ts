import {
  AccountStatus,
  LOGGED_OUT,
  MAX_CHOICES,
  TerminalStatus,
  toTerminalStatusName,
  type TerminalCounts,
  type TerminalDetails,
  type TerminalItem,
} from '@berth/contract';
import { sql, type Database, type Queryable } from '../db/database.ts';
import { MAX_SHARED_ROWS, toKey, toOffset, type PageInput } from '../db/page.ts';
import { AppError } from '../errors.ts';
import { itemColumns } from './transitions.ts';
import { isNext, sortColumns, toOrder, type SortColumn, type SortDirection } from './order.ts';

/** All columns of a terminal. */
export const terminalColumns = `id, host_id as server_id, user_id, project_id, name, path, server_name, login, synced_at, status, created_at,
  updated_at, deleted_at, region_id as region, platform, status_reason, status_changed_at`;

const findStatement = sql(
  'find_terminal',
  `select ${terminalColumns}, trading_allowed, trading_reason, tags, notes, external_id
   from terminals where id = $1 and user_id = $2 and deleted_at is null`,
);

/** While it runs on its host; for any other terminal it is unknown whether EAs may trade. */
export const RUNNING: readonly number[] = [
  TerminalStatus.CONNECTING,
  TerminalStatus.ACTIVE,
  TerminalStatus.DISCONNECTED,
];

/** A switch that is off holds with a refused login, too: the terminal runs. */
export const isTradingKnown = (status: TerminalStatus, reason: string | null): boolean =>
  RUNNING.includes(status) || (status === TerminalStatus.LOGIN_FAILED && reason === 'terminal_switch');

export const findTerminal = async (
  db: Queryable,
  userId: string,
  id: string,
  { withDetails = false } = {},
): Promise<TerminalDetails | undefined> => {
  const [row] = await db.query<Omit<Required<TerminalDetails>, 'status_name'>>(findStatement, [id, userId]);
  if (!row) return undefined;
  const { trading_allowed, trading_reason, tags, notes, external_id, ...terminal } = row;
  const isKnown = isTradingKnown(row.status, trading_reason);
  const trading = isKnown ? { trading_allowed, trading_reason } : { trading_allowed: null, trading_reason: null };
  const status_name = toTerminalStatusName(row.status);
  return { ...terminal, status_name, ...(withDetails ? { ...trading, tags, notes, external_id } : {}) };
};

/** @throws AppError not_found: the user has no such terminal */
export const assertTerminal = async (db: Queryable, userId: string, id: string): Promise<void> => {
  if (!(await findTerminal(db, userId, id))) throw AppError.notFound('Terminal');
};

const knownStatement = sql('has_terminal', `select 1 from terminals where id = $1 and user_id = $2`);

/** True for a terminal of the user, including a destroyed one: its tasks remain readable. */
export const hasTerminal = async (db: Queryable, userId: string, id: string): Promise<boolean> =>
  (await db.query(knownStatement, [id, userId])).length > 0;

export interface TerminalFilter {
  /** First and last day, `YYYY-MM-DD`, UTC, both inclusive. */
  dateFrom?: string | undefined;
  dateTo?: string | undefined;
  search?: string | undefined;
  statuses?: number[] | undefined;
  projectId?: string | undefined;
  region?: number | undefined;
  tag?: string | undefined;
  externalId?: string | undefined;
}

const isOwn = 'user_id = $1 and deleted_at is null';
const isChosen = `($2::date is null or created_at >= $2::date) and ($3::date is null or created_at < $3::date + 1)
  and ($4::text is null or search_text like lower($4))
  and ($5::smallint[] is null or status = any($5))
  and ($6::uuid is null or project_id = $6) and ($7::integer is null or region_id = $7)
  and ($8::text is null or $8 = any(tags)) and ($9::text is null or external_id = $9)`;

/**
 * `%`, `_` and `\` in a search are literal. The database lower-cases both sides, so that they match. The searched text
 * joins its fields by line feeds: a search that contains one would match across fields.
 */
const toLikePattern = (search: string): string =>
  search.includes('\n') ? '' : `%${search.replace(/[\\%_]/g, '\\$&')}%`;

const toValues = (userId: string, filter: TerminalFilter): unknown[] => [
  userId,
  filter.dateFrom ?? null,
  filter.dateTo ?? null,
  filter.search === undefined ? null : toLikePattern(filter.search),
  filter.statuses ?? null,
  filter.projectId ?? null,
  filter.region ?? null,
  filter.tag ?? null,
  filter.externalId ?? null,
];

const countStatement = sql('count_terminals', `select count(*) as total from terminals where ${isOwn} and ${isChosen}`);

const countStatusesStatement = sql(
  'count_terminal_statuses',
  `select status, count(*) as total,
     count(*) filter (where status = ${TerminalStatus.STOPPED} and status_reason = '${LOGGED_OUT}') as logged_out
   from terminals where ${isOwn} and ${isChosen} group by status order by status`,
);

/** How many of the user's terminals have each status. Pass it the owner's slow connections. */
export const countStatuses = async (
  db: Queryable,
  userId: string,
  filter: TerminalFilter,
): Promise<{ status: TerminalStatus; total: number; logged_out: number }[]> =>
  db.query(countStatusesStatement, toValues(userId, filter));

const listChoicesStatement = sql(
  'list_terminal_choices',
  `with chosen as materialized (select tags, server_name from terminals where ${isOwn} and ${isChosen})
   select array(
       select tag from chosen cross join unnest(tags) as tag group by tag order by count(*) desc, tag limit ${MAX_CHOICES}
     ) as tags,
     array(
       select server_name from chosen group by server_name order by count(*) desc, server_name limit ${MAX_CHOICES}
     ) as server_names`,
);

/** Which tags and trading servers the user's terminals have, by name. Pass it the owner's slow connections. */
export const listChoices = async (
  db: Queryable,
  userId: string,
  filter: TerminalFilter,
): Promise<NonNullable<TerminalCounts['choices']>> => {
  const [row] = await db.query<NonNullable<TerminalCounts['choices']>>(listChoicesStatement, toValues(userId, filter));
  return { tags: row!.tags.toSorted(), server_names: row!.server_names.toSorted() };
};

/** One statement for each order, built once: a column name cannot be a parameter. */
const listStatements = Object.fromEntries(
  sortColumns.flatMap((column) =>
    (['asc', 'desc'] as const).map((direction) => [
      `${column} ${direction}`,
      sql(
        `list_terminals_${column}_${direction}`,
        `select ${itemColumns} from terminals where ${isOwn} and ${isChosen} and ${isNext(column, direction)}
         order by ${toOrder(column, direction)} limit $10 offset $11`,
      ),
    ]),
  ),
);

export interface TerminalWindow {
  sortBy: SortColumn;
  direction: SortDirection;
  page: PageInput;
}

const toWindow = ({ page }: TerminalWindow): unknown[] => [page.per_page, toOffset(page), ...toKey(page, 2)];

/** Planned for the given parameters: an absent filter must cost nothing. */
const listTerminals = (
  db: Queryable,
  userId: string,
  filter: TerminalFilter,
  window: TerminalWindow,
): Promise<TerminalItem[]> => {
  const { sortBy, direction } = window;
  const statement = listStatements[`${sortBy} ${direction}`];
  if (!statement) throw new Error(`no list of terminals by ${sortBy} ${direction}`);
  return db.query<TerminalItem>(statement, [...toValues(userId, filter), ...toWindow(window)]);
};

const countTerminals = async (db: Queryable, userId: string, filter: TerminalFilter): Promise<number> =>
  (await db.query<{ total: number }>(countStatement, toValues(userId, filter)))[0]?.total ?? 0;

/**
 * For accounts with few terminals: all of them are read, then filtered. The first row is present even where none
 * matches.
 */
const fewStatements = Object.fromEntries(
  sortColumns.flatMap((column) =>
    (['asc', 'desc'] as const).map((direction) => [
      `${column} ${direction}`,
      sql(
        `list_few_terminals_${column}_${direction}`,
        `with own as materialized (
           select ${itemColumns}, region_id, search_text, tags, external_id from terminals where ${isOwn} limit ${MAX_SHARED_ROWS + 1}
         ), chosen as materialized (
           select * from own where ${isChosen}
         )
         select n.own_total, n.total, c.* from (
           select (select count(*) from own) as own_total, (select count(*) from chosen) as total
         ) n left join lateral (
           select ${itemColumns.replace('region_id as region', 'region')} from chosen
           where ${isNext(column, direction)} order by ${toOrder(column, direction)} limit $10 offset $11
         ) c on true
         order by ${toOrder(column, direction, 'c.')}`,
      ),
    ]),
  ),
);

type FewRow = { own_total: number; total: number } & (TerminalItem | { id: null });

const listFew = async (
  db: Queryable,
  { sortBy, direction }: Pick<TerminalWindow, 'sortBy' | 'direction'>,
  values: unknown[],
): Promise<{ data: TerminalItem[]; total: number } | undefined> => {
  const statement = fewStatements[`${sortBy} ${direction}`];
  if (!statement) throw new Error(`no list of terminals by ${sortBy} ${direction}`);
  const rows = await db.query<FewRow>(statement, values);
  if (!rows[0] || rows[0].own_total > MAX_SHARED_ROWS) return undefined;
  const data = rows.flatMap(({ own_total: _own, total: _total, ...item }) => (item.id === null ? [] : [item]));
  return { data, total: rows[0].total };
};

/**
 * A page of the user's terminals: for a small account on the connection that all lists share, else on its owner's slow
 * ones.
 */
export const readTerminals = async (
  db: Pick<Database, 'listsFor' | 'slowFor' | 'shared'>,
  userId: string,
  filter: TerminalFilter,
  window: TerminalWindow,
): Promise<{ data: TerminalItem[]; total: number }> => {
  const values = [...toValues(userId, filter), ...toWindow(window)];
  const key = JSON.stringify([window.sortBy, window.direction, values]);
  const few = await db.shared.read(key, () => listFew(db.listsFor(userId), window, values));
  if (few) return few;
  const slow = db.slowFor(userId);
  const [data, total] = await Promise.all([
    listTerminals(slow, userId, filter, window),
    window.page.after ? 0 : countTerminals(slow, userId, filter),
  ]);
  return { data, total };
};

const listIdsStatement = sql(
  'list_terminal_ids',
  `select id from terminals where ${isOwn} and ${isChosen} order by created_at, id limit $10`,
);

/**
 * Terminals that match the filter, oldest first, up to a limit, or null for all. Pass it the owner's slow connections.
 */
export const listTerminalIds = async (
  db: Queryable,
  userId: string,
  filter: TerminalFilter,
  limit: number | null,
): Promise<string[]> => {
  const rows = await db.query<{ id: string }>(listIdsStatement, [...toValues(userId, filter), limit]);
  return rows.map(({ id }) => id);
};

/** Not `for update`: an insert that references the user, such as a notification, must not be blocked. */
const lockUserStatement = sql('lock_user', `select status from users where id = $1 for no key update`);
const countOwnStatement = sql(
  'count_own_terminals',
  `select count(*) as total from terminals where user_id = $1 and deleted_at is null`,
);

/** Until the transaction ends, every other one that counts what the user has waits here. */
export const lockUser = async (tx: Queryable, userId: string): Promise<{ status: AccountStatus } | undefined> =>
  (await tx.query<{ status: AccountStatus }>(lockUserStatement, [userId]))[0];

/**
 * Counts a user's terminals; until the transaction ends nobody else can count them, so that a limit cannot be raced.
 * @throws AppError account_suspended, where that happened since the request was let in
 */
export const countOwnTerminalsLocked = async (tx: Queryable, userId: string): Promise<number> => {
  if ((await lockUser(tx, userId))?.status !== AccountStatus.ACTIVE) throw new AppError('account_suspended');
  return (await tx.query<{ total: number }>(countOwnStatement, [userId]))[0]?.total ?? 0;
};

const lockStatement = sql(
  'lock_own_terminal',
  `select id, status, host_id from terminals where id = $1 and user_id = $2 and deleted_at is null for update`,
);

export interface LockedOwnTerminal {
  id: string;
  status: TerminalStatus;
  host_id: string | null;
}

export const lockOwnTerminal = async (
  tx: Queryable,
  userId: string,
  id: string,
): Promise<LockedOwnTerminal | undefined> => (await tx.query<LockedOwnTerminal>(lockStatement, [id, userId]))[0];
