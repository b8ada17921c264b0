/** The query parameters of the audit log, which anybody may have written: invalid ones are dropped. */

export interface AuditSearch {
  /** Id of a user. */
  actor?: string;
  action?: string;
  /** Id of what it was done to. */
  target?: string;
  /** Days, YYYY-MM-DD, in the reader's zone; both count. */
  from?: string;
  to?: string;
  /** Id of the last row of the page before. */
  after?: string;
}

const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const forms: Record<keyof AuditSearch, RegExp> = {
  actor: UUID,
  action: /^[\w.]{1,64}$/,
  target: /^[\w-]{1,64}$/,
  from: /^\d{4}-\d\d-\d\d$/,
  to: /^\d{4}-\d\d-\d\d$/,
  after: UUID,
};

export const toAuditSearch = (given: Record<string, unknown>): AuditSearch =>
  Object.fromEntries(
    Object.entries(forms).flatMap(([name, form]) => {
      // The router reads what looks like a number as one.
      const text = typeof given[name] === 'number' ? String(given[name]) : given[name];
      return typeof text === 'string' && form.test(text) ? [[name, text]] : [];
    }),
  );

/** Whether rows are left out. */
export const isFiltered = ({ after: _after, ...filters }: AuditSearch): boolean => Object.keys(filters).length > 0;
