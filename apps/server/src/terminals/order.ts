/** The orders of the list of terminals, each of them unique by its last column, the id. */
import { TerminalStatus } from '@berth/contract';

export const sortColumns = ['created_at', 'name', 'server_name', 'login', 'status', 'attention'] as const;
export type SortColumn = (typeof sortColumns)[number];
export type SortDirection = 'asc' | 'desc';

const { PENDING, INSTALLING, CONNECTING, ACTIVE, STOPPED, DISCONNECTED } = TerminalStatus;
const { LOGIN_FAILED, FAILED, UNREACHABLE, DESTROYING } = TerminalStatus;

/** From what needs its owner least to what does most; any other status comes before them. */
const attention: readonly (readonly TerminalStatus[])[] = [
  [DESTROYING],
  [STOPPED],
  [ACTIVE],
  [PENDING, INSTALLING, CONNECTING],
  [DISCONNECTED, UNREACHABLE],
  [LOGIN_FAILED, FAILED],
];

const toAttention = (status: string): string => {
  const cases = attention.map((statuses, rank) => `when ${status} in (${statuses.join(', ')}) then ${rank + 1}`);
  return `(case ${cases.join(' ')} else 0 end)`;
};

/** What a list is ordered by. */
const toKey = (column: SortColumn, value: string): string => (column === 'attention' ? toAttention(value) : value);

/** The column that a cursor holds the value of, and its type. */
const sources: Record<SortColumn, readonly [column: string, type: string]> = {
  created_at: ['created_at', 'timestamptz'],
  name: ['name', 'text'],
  server_name: ['server_name', 'text'],
  login: ['login', 'text'],
  status: ['status', 'smallint'],
  attention: ['status', 'smallint'],
};

/** What comes after the row that a cursor ($12, $13) points at. */
export const isNext = (column: SortColumn, direction: SortDirection): string => {
  const [source, type] = sources[column];
  const cursor = `$12::${type}`;
  const isBeyond = `(${toKey(column, source)}, id) ${direction === 'asc' ? '>' : '<'} (${toKey(column, cursor)}, $13::uuid)`;
  return `(${cursor} is null or ${isBeyond})`;
};

/** @param table the alias of the rows, with its dot */
export const toOrder = (column: SortColumn, direction: SortDirection, table = ''): string =>
  `${toKey(column, `${table}${sources[column][0]}`)} ${direction}, ${table}id ${direction}`;
