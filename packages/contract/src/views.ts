/** Views of a list: its filters and columns, kept under a name. */
import { isSingleLine } from './text.ts';

/** Lists of the dashboard that have views. */
export const viewPages = ['terminals', 'tasks', 'all_terminals'] as const;
export type ViewPage = (typeof viewPages)[number];

/** Views of one account, of all lists together. */
export const MAX_VIEWS = 50;
export const MAX_VIEW_NAME_CHARACTERS = 60;
export const MAX_VIEW_QUERY_CHARACTERS = 4000;
export const MAX_VIEW_COLUMNS = 50;
export const MAX_VIEW_COLUMN_CHARACTERS = 40;

/**
 * Whether a view can have this name. It is a part of a path: proxies change slashes, and browsers leave out dots.
 * @example
 * import { isViewName } from '@berth/contract/values';
 * isViewName('Prop, failed'); // => true
 * isViewName('a/b'); // => false
 */
export const isViewName = (name: string): boolean =>
  name !== '' &&
  name === name.trim() &&
  [...name].length <= MAX_VIEW_NAME_CHARACTERS &&
  isSingleLine(name) &&
  !/[/\\]|^\.\.?$/.test(name);
