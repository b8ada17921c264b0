import type { SavedView } from '@berth/client';
import type { ViewPage } from '@berth/contract/values';
import { useQuery } from '@tanstack/react-query';
import { defaultParseSearch, defaultStringifySearch } from '@tanstack/react-router';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';

type Given = Record<string, unknown>;

/** What a list shows, and how it is told to show something else. */
export interface ListView {
  page: ViewPage;
  /** Of the address. */
  search: object;
  /** What a view keeps of query parameters, which anybody may have written. */
  toKept: (given: Given) => object;
  /** Undefined: the list has no columns to choose. Names are null for the usual ones. */
  columns?: { names: readonly string[] | null; choose: (names: readonly string[] | null) => void };
  onShow: (given: Given) => void;
}

/** All views of the account: at most fifty. */
export const useViews = () => useQuery({ queryKey: keys.views, queryFn: ({ signal }) => berth.views.list({ signal }) });

/** What is listed now, as a view keeps it. */
export const toQuery = ({ toKept, search }: Pick<ListView, 'toKept' | 'search'>): string =>
  defaultStringifySearch(toKept(Object.fromEntries(Object.entries(search)))).slice(1);

const toGiven = ({ query }: SavedView): Given => defaultParseSearch(`?${query}`);

/** Shows what a view has: its columns by what this browser keeps, its filters by the address, checked as there. */
export const showView = ({ columns, onShow }: ListView, view: SavedView): void => {
  columns?.choose(view.columns);
  onShow(toGiven(view));
};

/** Whether the list shows what the view has. */
export const isShown = ({ search, toKept, columns }: ListView, view: SavedView): boolean =>
  toQuery({ toKept, search: toGiven(view) }) === toQuery({ toKept, search }) &&
  (columns === undefined || String(view.columns) === String(columns.names));
