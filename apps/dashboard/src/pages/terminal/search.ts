/** The query parameters of a terminal's page. Invalid ones are dropped, so that an old link still opens. */
import { logSources, type LogSource } from '../../data/lead.ts';

export const terminalTabs = ['tasks', 'history', 'logs', 'charts', 'trading', 'account', 'settings'] as const;
export type TerminalTab = (typeof terminalTabs)[number];

export const ranges = ['day', 'week', 'month'] as const;
export type Range = (typeof ranges)[number];

export const measures = ['ping', 'memory', 'cpu'] as const;
export type Measure = (typeof measures)[number];

export const taskFilters = ['open', 'failed', 'done'] as const;
export type TaskFilter = (typeof taskFilters)[number];

/** Of the chart of the tab Trading, and of its deals. */
export const chartPeriods = ['today', 'day', 'week', 'month', 'year'] as const;
export type ChartPeriod = (typeof chartPeriods)[number];

export const dealPeriods = ['today', 'week', 'month', 'year'] as const;
export type DealPeriod = (typeof dealPeriods)[number];

export interface TerminalSearch {
  /** Defaults to `tasks`. */
  tab?: TerminalTab;
  range?: Range;
  measure?: Measure;
  /** A file: a previous screenshot that is shown instead of the latest. */
  screenshot?: string;
  filter?: TaskFilter;
  page?: number;
  /** A task that is shown in detail. */
  task?: string;
  source?: LogSource;
  /** YYYY-MM-DD; defaults to today on the host. */
  day?: string;
  contains?: string;
  period?: ChartPeriod;
  deals?: DealPeriod;
  /** Why it is not running is shown. */
  why?: true;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const MAX_CONTAINS = 255;

const oneOf = <Value extends string>(values: readonly Value[], value: unknown): Value | undefined =>
  values.find((known) => known === value);

const match = (pattern: RegExp, value: unknown): string | undefined =>
  typeof value === 'string' && pattern.test(value) ? value : undefined;

const toContains = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number'
    ? String(value).slice(0, MAX_CONTAINS) || undefined
    : undefined;

export const toTerminalSearch = (search: Record<string, unknown>): TerminalSearch => {
  const { page } = search;
  const known = {
    tab: oneOf(terminalTabs, search.tab),
    range: oneOf(ranges, search.range),
    measure: oneOf(measures, search.measure),
    screenshot: match(UUID, search.screenshot),
    filter: oneOf(taskFilters, search.filter),
    page: typeof page === 'number' && Number.isInteger(page) && page > 1 && page < 1e9 ? page : undefined,
    task: match(UUID, search.task),
    source: oneOf(logSources, search.source),
    day: match(DAY, search.day),
    contains: toContains(search.contains),
    period: oneOf(chartPeriods, search.period),
    deals: oneOf(dealPeriods, search.deals),
    why: search.why === true ? (true as const) : undefined,
  };
  return Object.fromEntries(Object.entries(known).filter(([, value]) => value !== undefined));
};
