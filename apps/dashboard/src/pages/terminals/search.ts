/** The query parameters of the list of terminals. Invalid ones are dropped, so that an old link still opens. */
import type { TerminalFilter, TerminalStatusName } from '@berth/client';

/** The groups of statuses that a person looks for; in each, the statuses of the API. */
export const statusGroups = {
  active: ['ACTIVE'],
  'needs-attention': ['LOGIN_FAILED', 'FAILED', 'DISCONNECTED', 'UNREACHABLE'],
  connecting: ['CONNECTING'],
  installing: ['PENDING', 'INSTALLING'],
  stopped: ['STOPPED'],
  deleting: ['DESTROYING'],
} as const satisfies Record<string, readonly TerminalStatusName[]>;
export type StatusGroup = keyof typeof statusGroups;
export const statusGroupNames = Object.keys(statusGroups) as StatusGroup[];

/** The API sorts by these; by money, which changes each second, the page itself does. */
const apiSorts = ['created_at', 'name', 'status', 'server_name', 'login'] as const;
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
  sort?: SortColumn;
  direction?: Direction;
  /** The dialog that creates a terminal is open. */
  create?: true;
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
  const search = {
    page: toWhole(asked.page, 2),
    search: toText(asked.search),
    status: toOneOf(asked.status, statusGroupNames),
    region: toWhole(asked.region, 0),
    project: project !== undefined && UUID.test(project) ? project : undefined,
    sort: toOneOf(asked.sort, sortColumns),
    direction: toOneOf(asked.direction, ['asc', 'desc']),
    create: asked.create === true ? (true as const) : undefined,
  };
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
};

/** The terminals that the URL selects, as a filter of the API. */
export const toFilter = ({ search, region, project }: TerminalsSearch): TerminalFilter => ({
  ...(search === undefined ? {} : { search }),
  ...(region === undefined ? {} : { region }),
  ...(project === undefined ? {} : { project_id: project }),
});

/** The same, with the group of statuses. */
export const toWholeFilter = (asked: TerminalsSearch): TerminalFilter => ({
  ...toFilter(asked),
  ...(asked.status === undefined ? {} : { status: statusGroups[asked.status] }),
});

export const isFiltered = (asked: TerminalsSearch): boolean => Object.keys(toWholeFilter(asked)).length > 0;

/** A column's direction when it is first selected: names from A, times from the newest, results from the worst. */
const first: Record<SortColumn, Direction> = {
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

export const toSort = ({ sort = 'created_at', direction }: TerminalsSearch) => ({
  sort,
  direction: direction ?? first[sort],
});

/** The URL after a click on a column header: this column, or its other direction. */
export const toSorted = (asked: TerminalsSearch, column: SortColumn): TerminalsSearch => {
  const { page: _, sort: _sort, direction: _direction, ...others } = asked;
  const now = toSort(asked);
  const direction = now.sort !== column ? first[column] : now.direction === 'asc' ? 'desc' : 'asc';
  return {
    ...others,
    ...(column === 'created_at' ? {} : { sort: column }),
    ...(direction === first[column] ? {} : { direction }),
  };
};
