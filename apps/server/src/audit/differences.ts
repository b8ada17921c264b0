/**
 * What a row of the audit log keeps of a change: the fields that changed, without secrets, and no more than a row has
 * room for. Secrets are compared before they are hidden, so that a changed one is seen.
 */
import { cutText, KEPT_SECRET } from '@berth/contract';

export type Fields = Record<string, unknown>;

export interface Difference {
  before: Fields | null;
  after: Fields | null;
}

/** Of texts, lists and objects inside of a field, and of all fields of one side. */
const MAX_TEXT = 300;
const MAX_ITEMS = 20;
const MAX_DEPTH = 4;
const MAX_BYTES = 4_096;

/** Names of secrets, and of what is as good as one; ids of them are none. */
const SECRET = /(?:password|secret|token|credential|api_?key|hash)$/i;
const URL_NAME = /(?:^|_)url$/i;

/** The address of a webhook is often a secret: where it goes is kept, and not how. */
const toOrigin = (text: string): string => {
  if (!URL.canParse(text)) return KEPT_SECRET;
  const { origin, pathname, search, username } = new URL(text);
  return pathname === '/' && search === '' && username === '' ? text : `${origin}/${KEPT_SECRET}`;
};

const toShown = (name: string, value: unknown, depth = 0): unknown => {
  if (value === null || value === undefined || typeof value === 'boolean') return value ?? null;
  if (SECRET.test(name)) return KEPT_SECRET;
  if (typeof value === 'string') return cutText(URL_NAME.test(name) ? toOrigin(value) : value, MAX_TEXT);
  if (typeof value !== 'object') return value;
  if (value instanceof Date) return value.toISOString();
  if (depth === MAX_DEPTH) return '…';
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => toShown(name, item, depth + 1));
    return value.length > MAX_ITEMS ? [...items, `… ${value.length - MAX_ITEMS} more`] : items;
  }
  const entries = Object.entries(value).slice(0, MAX_ITEMS);
  return Object.fromEntries(entries.map(([key, item]) => [cutText(key, MAX_TEXT), toShown(key, item, depth + 1)]));
};

/** The first fields, as many as there is room for. */
const toBounded = (fields: Fields): Fields => {
  let sizeBytes = 0;
  const kept = Object.entries(fields).filter(([name, value]) => {
    sizeBytes += Buffer.byteLength(JSON.stringify([name, value]));
    return sizeBytes <= MAX_BYTES;
  });
  return Object.fromEntries(kept);
};

/** They change with everything, and say nothing of it. */
const passedOver: ReadonlySet<string> = new Set([
  'updated_at',
  'created_at',
  'last_seen_at',
  'version',
  'id',
  'user_id',
]);

const toSide = (fields: Fields, names: ReadonlySet<string>): Fields =>
  toBounded(
    Object.fromEntries(
      Object.entries(fields)
        .filter(([name]) => names.has(name))
        .map(([name, value]) => [name, toShown(name, value)]),
    ),
  );

/**
 * What is kept of a change.
 * @param before null: it was not there
 * @param after null: it is gone
 * @returns undefined where nothing has changed
 */
export const toDifference = (before: object | null, after: object | null): Difference | undefined => {
  const [was, is] = [before as Fields | null, after as Fields | null];
  const isOther = (name: string): boolean =>
    !was || !is || JSON.stringify(was[name] ?? null) !== JSON.stringify(is[name] ?? null);
  const all = [...Object.keys(was ?? {}), ...Object.keys(is ?? {})];
  const names = new Set(all.filter((name) => !passedOver.has(name) && isOther(name)));
  if (was && is && names.size === 0) return undefined;
  return { before: was && toSide(was, names), after: is && toSide(is, names) };
};
