/** Two terminals on one trading account trade twice. It may be intended, so it is not refused, but the answer says so. */
import { TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

// Names of servers are no different for their case. A terminal that is being destroyed (8) is on its way out.
const findStatement = sql(
  'find_terminal_on_account',
  `select o.id, o.name
   from terminals t cross join lateral (
     select id, name from terminals
     where user_id = t.user_id and login = coalesce($3, t.login) and lower(server_name) = lower(coalesce($4, t.server_name))
       and deleted_at is null and status <> ${TerminalStatus.DESTROYING} and id <> t.id
     order by user_id, login, id limit 2
   ) o
   where t.id = $2 and t.user_id = $1`,
);

export interface AccountQuestion {
  userId: string;
  terminalId: string;
  /** The account that the terminal is to have; unset = the one that it has. */
  login?: string | undefined;
  serverName?: string | undefined;
}

/** A sentence for the answer when other living terminals of the user use the account; otherwise nothing. */
export const toSameAccountWarning = async (
  db: Queryable,
  { userId, terminalId, login, serverName }: AccountQuestion,
): Promise<string> => {
  type Row = { id: string; name: string };
  const [other, another] = await db.query<Row>(findStatement, [userId, terminalId, login ?? null, serverName ?? null]);
  if (!other) return '';
  const more = another ? ', as do others' : '';
  return ` Your terminal "${other.name}" (${other.id}) uses the same account${more}: experts on both would trade twice.`;
};
