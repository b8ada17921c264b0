/** Which terminals are down at this moment: they should run, and do not. */
import { TerminalStatus } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';

const { DISCONNECTED, LOGIN_FAILED, FAILED, UNREACHABLE, CONNECTING, PENDING, INSTALLING } = TerminalStatus;

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
export const noteDowns = async (
  tx: Queryable,
  moves: readonly Move[],
): Promise<{ gone: Set<string>; back: Set<string> }> => {
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
