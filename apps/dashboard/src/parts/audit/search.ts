/**
 * The query parameters of the audit log, which anybody may have written. What is no filter is kept as a text, for which
 * nothing is listed: rows are never shown as if a filter had been applied.
 */

export interface AuditSearch {
  /** Id of a user. */
  actor?: string;
  action?: string;
  /** Id of what it was done to. */
  target?: string;
  /** What is neither: choices are offered for it. */
  text?: string;
  /** Days, YYYY-MM-DD, in the reader's zone; both count. */
  from?: string;
  to?: string;
  /** Id of the last row of the page before. */
  after?: string;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const forms: Record<keyof AuditSearch, RegExp> = {
  actor: UUID,
  // All that begin so, where it ends with the dot.
  action: /^[a-z_]{1,40}\.[a-z_]{0,40}$/,
  target: /^(?:\d{1,18}|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/i,
  text: /^.{1,255}$/,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
  after: UUID,
};

const toFiltered = ([name, given]: [string, unknown]): [string, string][] => {
  const form = forms[name as keyof AuditSearch];
  // The router reads what looks like a number as one.
  const text = typeof given === 'number' ? String(given) : given;
  if (typeof text !== 'string' || text.trim() === '' || form === undefined) return [];
  if (form.test(text)) return [[name, text]];
  return name === 'after' ? [] : [['text', text.trim().slice(0, 255)]];
};

export const toAuditSearch = (given: Record<string, unknown>): AuditSearch =>
  Object.fromEntries(Object.entries(given).flatMap(toFiltered));

/** What somebody typed: the name of an action, an id, or a text. */
export const toTyped = (typed: string): AuditSearch => {
  const text = typed.trim();
  const name = (['action', 'target'] as const).find((one) => forms[one].test(text)) ?? 'text';
  return toAuditSearch({ [name]: text });
};

/** Whether rows are left out. */
export const isFiltered = ({ after: _after, ...filters }: AuditSearch): boolean => Object.keys(filters).length > 0;
