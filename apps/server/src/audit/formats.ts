/** Rows of the audit log as files: for spreadsheets (RFC 4180), and one JSON object per line. */
import type { AuditEntry } from '@berth/contract';

/**
 * What spreadsheets take for the beginning of a formula, also after blanks: they would carry it out. Such a cell gets an
 * apostrophe before it.
 */
const FORMULA = /^[\s\u00a0\ufeff]*[=+\-@\t\r\n＝＋－＠]/u;
const QUOTED = /[",;\r\n]/;

export const toCell = (value: string | number | null): string => {
  const text = value === null ? '' : String(value);
  const safe = typeof value === 'string' && FORMULA.test(text) ? `'${text}` : text;
  return QUOTED.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

const toJson = (fields: object | null): string | null => fields && JSON.stringify(fields);

/** In the order in which they were added: programs may take them by their place. */
const columns: readonly [name: string, toValue: (entry: AuditEntry) => string | number | null][] = [
  ['id', ({ id }) => id],
  ['at', ({ at }) => at],
  ['actor_kind', ({ actor }) => actor.kind],
  ['actor_user_id', ({ actor }) => actor.user_id],
  ['actor_name', ({ actor }) => actor.name],
  ['actor_token_id', ({ actor }) => actor.token_id],
  ['actor_session_id', ({ actor }) => actor.session_id],
  ['address', ({ address }) => address],
  ['action', ({ action }) => action],
  ['target_type', ({ target }) => target.type],
  ['target_id', ({ target }) => target.id],
  ['before', ({ before }) => toJson(before)],
  ['after', ({ after }) => toJson(after)],
  ['result', ({ result }) => result],
  ['user_id', ({ user_id: userId }) => userId],
];

const toLine = (cells: readonly (string | number | null)[]): string => `${cells.map(toCell).join(',')}\r\n`;

export interface AuditFormat {
  type: 'text/csv' | 'application/jsonl';
  /** Of the file's name. */
  ending: string;
  head: string;
  toLine: (entry: AuditEntry) => string;
}

export const auditFormats: readonly AuditFormat[] = [
  {
    type: 'text/csv',
    ending: 'csv',
    // A byte order mark first, by which Excel knows that it is UTF-8.
    head: `\ufeff${toLine(columns.map(([name]) => name))}`,
    toLine: (entry) => toLine(columns.map(([, toValue]) => toValue(entry))),
  },
  { type: 'application/jsonl', ending: 'jsonl', head: '', toLine: (entry) => `${JSON.stringify(entry)}\n` },
];
