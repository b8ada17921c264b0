import type { AuditEntry } from '@berth/client';
import { useAction } from '../../data/action.ts';
import { berth } from '../../data/berth.ts';
import { keys } from '../../data/keys.ts';
import { useReading } from '../../data/reading.ts';
import { saveFile } from '../../data/save-file.ts';
import { serverNow } from '../../data/server-clock.ts';
import { texts } from '../../texts/texts.ts';
import { pageTexts } from '../../texts/page-texts.ts';
import type { AuditSearch } from './search.ts';

const words = pageTexts.audit;
const PER_PAGE = 50;
const READ_EVERY_MS = 30_000;

/** The beginning of a local day, so many days later. */
const toStart = (day: string, later: number): string | undefined => {
  const [year = 0, month = 1, date = 1] = day.split('-').map(Number);
  const at = new Date(year, month - 1, date + later);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
};

const toFilters = ({ from, to, after: _after, ...rest }: AuditSearch) => {
  const [begin, end] = [from && toStart(from, 0), to && toStart(to, 1)];
  return { ...rest, ...(begin ? { from: begin } : {}), ...(end ? { to: end } : {}) };
};

/** Of operators all rows, of others their own. */
export type AuditScope = 'own' | 'all';

const toLog = (scope: AuditScope) => (scope === 'all' ? berth.operator.auditLog : berth.auditLog);

export const useAuditLog = (scope: AuditScope, search: AuditSearch) => {
  const query = { ...toFilters(search), per_page: PER_PAGE, ...(search.after ? { after: search.after } : {}) };
  return useReading(keys.audit.list(scope, query), (request) => toLog(scope).page(query, request), READ_EVERY_MS);
};

const EXPORT_MS = 120_000;
const types = { csv: 'text/csv;charset=utf-8', jsonl: 'application/jsonl' } as const;

/** Saves all rows that the filters choose as a file. */
export const useExport = (scope: AuditScope, search: AuditSearch) =>
  useAction({
    run: async (format: keyof typeof types) => {
      const name = words.file(new Date(serverNow()).toISOString().slice(0, 10), format);
      saveFile(name, await toLog(scope).export(format, toFilters(search), { timeoutMs: EXPORT_MS }), types[format]);
      return name;
    },
    done: (name) => words.downloaded(name),
  });

export interface AuditDay {
  name: string;
  entries: AuditEntry[];
}

const dayName = new Intl.DateTimeFormat(texts.locale, { dateStyle: 'full' });

/** The rows by local day, in their order. */
export const toDays = (entries: readonly AuditEntry[]): AuditDay[] => {
  const days: AuditDay[] = [];
  for (const entry of entries) {
    const name = dayName.format(Date.parse(entry.at));
    if (days.at(-1)?.name !== name) days.push({ name, entries: [] });
    days.at(-1)!.entries.push(entry);
  }
  return days;
};

export interface Change {
  name: string;
  /** Undefined: it was not there, or is gone. */
  before: string | undefined;
  after: string | undefined;
}

const HIDDEN = '********';

const toText = (fields: Record<string, unknown> | null, name: string): string | undefined => {
  const value = fields?.[name];
  if (value === undefined) return undefined;
  if (value === null) return words.nothing;
  return typeof value === 'string' ? value : JSON.stringify(value);
};

type Fields = Record<string, unknown>;

/** Fields of an object have names of their own: `limits.terminals`. */
const toFlat = (fields: Fields | null): Fields | null =>
  fields &&
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? Object.entries(value).map(([inner, item]) => [`${name}.${inner}`, item])
        : [[name, value]],
    ),
  );

/** Field by field, without those that stayed, or that have no value in a creation or a deletion. */
export const toChanges = (entry: AuditEntry): Change[] => {
  const [before, after] = [toFlat(entry.before), toFlat(entry.after)];
  const names = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})])];
  return (
    names
      .filter((name) => (before && after) || (before ?? after)?.[name] !== null)
      .map((name) => ({ name, before: toText(before, name), after: toText(after, name) }))
      // A secret that changed looks the same.
      .filter((change) => change.before !== change.after || change.after?.includes(HIDDEN) === true)
  );
};
