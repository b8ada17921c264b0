/**
 * Two terminals on one trading account trade twice. It may be intended, so it is not refused, but the answer warns of
 * it.
 */
import { TaskType, TerminalStatus } from '@berth/contract';
import { isSameLogin, isSameServer, toLoginKey } from '../db/account-names.ts';
import { sql, type Queryable } from '../db/database.ts';

/** Of the terminals with a login, so many are compared. */
const MAX_COMPARED = 100;

// A terminal that is being destroyed (8) no longer counts. Terminals that are requested together count for each other, too.
const findStatement = sql(
  'find_terminals_on_account',
  `select t.id as terminal_id, o.id, o.name
   from terminals t cross join lateral (
     select id, name from (
       select id, name, server_name from terminals
       where user_id = t.user_id and ${isSameLogin('login', 'coalesce($3, t.login)')}
         and deleted_at is null and status <> ${TerminalStatus.DESTROYING} and id <> t.id
       order by user_id, ${toLoginKey('login')}, id limit ${MAX_COMPARED}
     ) named
     where ${isSameServer('server_name', 'coalesce($4, t.server_name)')} or (id = any($2::uuid[]) and $4 is not null)
     limit 2
   ) o
   where t.id = any($2::uuid[]) and t.user_id = $1 and t.status <> ${TerminalStatus.DESTROYING}`,
);

export interface AccountQuestion {
  userId: string;
  terminalIds: readonly string[];
  /** The account that the terminals will have; unset = the one that each has. */
  login?: string | undefined;
  serverName?: string | undefined;
}

interface Other {
  terminal_id: string;
  id: string;
  name: string;
}

const toText = ({ id, name }: Other, hasMore: boolean): string => {
  const more = hasMore ? ', as do others' : '';
  return `Your terminal "${name}" (${id}) uses the same account${more}: experts on both would trade twice.`;
};

/** A warning for each of the terminals whose account is used by other active terminals of the user, by its id. */
export const findSameAccountWarnings = async (
  db: Queryable,
  { userId, terminalIds, login, serverName }: AccountQuestion,
): Promise<Map<string, string>> => {
  const rows = await db.query<Other>(findStatement, [userId, terminalIds, login ?? null, serverName ?? null]);
  const firsts = new Map<string, Other>();
  const warnings = new Map<string, string>();
  for (const row of rows) {
    const first = firsts.get(row.terminal_id);
    if (!first) firsts.set(row.terminal_id, row);
    warnings.set(row.terminal_id, toText(first ?? row, first !== undefined));
  }
  return warnings;
};

/** Another terminal of the user on the same account, for each of these that has one. */
export const findSameAccounts = async (
  db: Queryable,
  userId: string,
  terminalIds: readonly string[],
): Promise<Map<string, { id: string; name: string }>> => {
  if (terminalIds.length === 0) return new Map();
  const rows = await db.query<Other>(findStatement, [userId, terminalIds, null, null]);
  // The first of each stays.
  return new Map(rows.toReversed().map(({ terminal_id: terminalId, id, name }) => [terminalId, { id, name }]));
};

export interface LoginRequest {
  userId: string;
  terminalIds: readonly string[];
  type: TaskType;
  payload: Record<string, unknown>;
}

/** The same for a task that logs terminals in to an account that they do not have yet; other tasks have no warnings. */
export const findLoginWarnings = async (
  db: Queryable,
  { userId, terminalIds, type, payload }: LoginRequest,
): Promise<Map<string, string>> => {
  const { login, server_name: serverName } = payload as { login?: string; server_name?: string };
  const isOther = type === TaskType.ACCOUNT_LOGIN && (login !== undefined || serverName !== undefined);
  if (!isOther || terminalIds.length === 0) return new Map();
  return findSameAccountWarnings(db, { userId, terminalIds, login, serverName });
};
