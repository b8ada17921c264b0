/** The query parameters of the list of terminals. Invalid ones are dropped, so that an old link still opens. */
import type { TerminalFilter, TerminalStatusName } from '@berth/client';
import { MAX_TAG_CHARACTERS } from '@berth/contract/values';

/** The groups of statuses that a person looks for, in the order of the list; each terminal is in one of them. */
export const statusGroups = {
  'needs-attention': ['LOGIN_FAILED', 'FAILED', 'DISCONNECTED', 'UNREACHABLE'],
  installing: ['PENDING', 'INSTALLING'],
  connecting: ['CONNECTING'],
  active: ['ACTIVE'],
  stopped: ['STOPPED'],
  deleting: ['DESTROYING'],
} as const satisfies Record<string, readonly TerminalStatusName[]>;
export type StatusGroup = keyof typeof statusGroups;
export const statusGroupNames = Object.keys(statusGroups) as StatusGroup[];

/** The API sorts by these; by money, which changes each second, the page itself does. */
const apiSorts = ['attention', 'created_at', 'name', 'status', 'server_name', 'login'] as const;
export const moneySorts = ['equity', 'today', 'drawdown', 'profit', 'positions'] as const;
export type MoneySort = (typeof moneySorts)[number];
export const sortColumns = [...apiSorts, ...moneySorts] as const;
export type SortColumn = (typeof sortColumns)[number];
export type Direction = 'asc' | 'desc';

export interface TerminalsSearch {
  page?: number;
  search?: string;
  status?: StatusGroup;
  region?: number;
  project?: string;
  tag?: string;
  sort?: SortColumn;
  direction?: Direction;
  /** The dialog that creates a terminal is open. */
  create?: true;
  /** The snapshot that the new terminal is made from. */
  snapshot?: string;
}

const MAX_SEARCH = 255;
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

const toText = (value: unknown): string | undefined =>
  // A search for digits is parsed as a number.
  (typeof value === 'string' || typeof value === 'number') && String(value) !== ''
    ? String(value).slice(0, MAX_SEARCH)
    : undefined;

const toWhole = (value: unknown, low: number): number | undefined =>
  typeof value === 'number' && Number.isInteger(value) && value >= low && value < 1e9 ? value : undefined;

const toOneOf = <Value extends string>(value: unknown, values: readonly Value[]): Value | undefined =>
  values.find((one) => one === value);

export const toTerminalsSearch = (asked: Record<string, unknown>): TerminalsSearch => {
  const project = toText(asked.project);
  const snapshot = toText(asked.snapshot);
  const search = {
    page: toWhole(asked.page, 2),
    search: toText(asked.search),
    status: toOneOf(asked.status, statusGroupNames),
    region: toWhole(asked.region, 0),
    project: project !== undefined && UUID.test(project) ? project : undefined,
    tag: toText(asked.tag)?.slice(0, MAX_TAG_CHARACTERS),
    sort: toOneOf(asked.sort, sortColumns),
    direction: toOneOf(asked.direction, ['asc', 'desc']),
    create: asked.create === true ? (true as const) : undefined,
    snapshot: snapshot !== undefined && UUID.test(snapshot) ? snapshot : undefined,
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
};

/** The terminals that the URL selects, as a filter of the API. */
export const toFilter = ({ search, region, project, tag }: TerminalsSearch): TerminalFilter => ({
  ...(search === undefined ? {} : { search }),
  ...(region === undefined ? {} : { region }),
  ...(project === undefined ? {} : { project_id: project }),
  ...(tag === undefined ? {} : { tag }),
});

/** The same, with the group of statuses. */
export const toWholeFilter = (asked: TerminalsSearch): TerminalFilter => ({
  ...toFilter(asked),
  ...(asked.status === undefined ? {} : { status: statusGroups[asked.status] }),
});

export const isFiltered = (asked: TerminalsSearch): boolean => Object.keys(toWholeFilter(asked)).length > 0;

/** The order that nobody chose. */
const usual: SortColumn = 'attention';

/** A column's direction when it is first selected: names from A, times from the newest, results from the worst. */
const first: Record<SortColumn, Direction> = {
  attention: 'desc',
  created_at: 'desc',
  name: 'asc',
  status: 'asc',
  server_name: 'asc',
  login: 'asc',
  equity: 'desc',
  today: 'asc',
  drawdown: 'desc',
  profit: 'asc',
  positions: 'desc',
};

export const isMoneySort = (sort: SortColumn): sort is MoneySort => moneySorts.some((one) => one === sort);

export const toSort = ({ sort = usual, direction }: TerminalsSearch) => ({
  sort,
  direction: direction ?? first[sort],
});

/** The query parameters of an order. */
const toOrder = (sort: SortColumn, direction: Direction) => ({
  sort: sort === usual ? undefined : sort,
  direction: direction === first[sort] ? undefined : direction,
});

/** A column in the direction in which it is first selected. */
export const toFirstOrder = (column: SortColumn) => toOrder(column, first[column]);

/** What a click on a column's header changes: to this column, or to its other direction. */
export const toNextOrder = (asked: TerminalsSearch, column: SortColumn) => {
  const { sort, direction } = toSort(asked);
  return sort === column ? toOrder(column, direction === 'asc' ? 'desc' : 'asc') : toFirstOrder(column);
};
