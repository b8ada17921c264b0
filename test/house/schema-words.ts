/** A schema of the contract in words for a reader: types, rules, shapes. */
import {
  BrowserSession,
  BulkCreation,
  CreatedTask,
  CursorPagination,
  StoredFile,
  Host,
  HostDetails,
  HostOffer,
  HostTerminal,
  Samples,
  NotificationSettings,
  UserNotification,
  Offers,
  StorageUsage,
  Pagination,
  PaginationWithTo,
  Profile,
  Project,
  Region,
  Task,
  TaskMove,
  Terminal,
  TerminalChart,
  TerminalDetails,
  TerminalItem,
  TerminalListItem,
  Token,
} from '@berth/contract';

export type Schema = Record<string, unknown> & {
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  variants?: Schema[];
  enum?: unknown[];
  const?: unknown;
  description?: string;
};

/** Schemas that the page names once and refers to. */
export const resources = {
  Profile,
  Notification: UserNotification,
  NotificationSettings,
  Offers,
  StorageUsage,
  Token,
  BrowserSession,
  Project,
  Region,
  TerminalItem,
  TerminalListItem,
  Terminal,
  TerminalDetails,
  TerminalChart,
  CreatedTask,
  Task,
  TaskMove,
  BulkCreation,
  File: StoredFile,
  Host,
  HostDetails,
  HostOffer,
  HostTerminal,
  Samples,
  Pagination,
  PaginationWithTo,
  CursorPagination,
} as unknown as Record<string, Schema>;

const names = new Map(Object.entries(resources).map(([name, schema]) => [JSON.stringify(schema), name]));

/** `string or null`, `array of string`, `Terminal`. */
export const toType = (schema: Schema): string => {
  const name = names.get(JSON.stringify(schema));
  if (name !== undefined) return name;
  if (schema.format === 'binary') return 'bytes';
  if (schema.items) return `array of ${toType(schema.items)}`;
  return [schema.type ?? 'any'].flat().join(' or ');
};

type Phrase = (value: unknown) => string;

const NO_NAME =
  'no control or direction characters, none of `/ : * ? " < > \\|`, no name that Windows reserves (`CON`, `nul.x`), no space or dot at the end';

/** What a keyword says beyond the type. */
const phrases: Record<string, Phrase> = {
  enum: (values) => `one of ${(values as unknown[]).map((value) => `\`${String(value)}\``).join(', ')}`,
  const: (value) => `\`${String(value)}\``,
  format: (format) => (format === 'email' ? 'an e-mail address' : 'a UUID'),
  minLength: (limit) => `at least ${String(limit)} characters`,
  maxLength: (limit) => `at most ${String(limit)} characters`,
  minimum: (limit) => `at least ${String(limit)}`,
  maximum: (limit) => `at most ${String(limit)}`,
  minItems: (limit) => `at least ${String(limit)} items`,
  maxItems: (limit) => `at most ${String(limit)} items`,
  pattern: (pattern) => `matches \`${String(pattern).replaceAll('|', '\\|')}\``,
  singleLine: () => 'no control characters',
  logLine: () => 'control characters but tabs become spaces',
  symbolName: () => `${NO_NAME}; round brackets in pairs`,
  expertName: () => `${NO_NAME}; at most 220 bytes`,
  isoDate: () => '`YYYY-MM-DD`',
  isoDateTime: () => 'ISO 8601 date and time',
  uuidList: () => 'UUIDs, comma-separated',
  webOrigin: () => '`http://` or `https://`, host, port; no path',
  taskStatusList: () => 'known statuses, comma-separated',
  taskTypeList: () => 'known types, comma-separated',
  terminalStatusList: () => 'known statuses, comma-separated',
  default: (value) => `default ${String(value)}`,
};

const listPhrases = (schema: Schema): string[] =>
  Object.entries(phrases).flatMap(([keyword, toPhrase]) => (keyword in schema ? [toPhrase(schema[keyword])] : []));

/** The rules of a field, its description first. */
export const toRules = (schema: Schema): string => {
  const ofItems = schema.items ? listPhrases(schema.items).map((phrase) => `each ${phrase}`) : [];
  return [...(schema.description ? [schema.description] : []), ...listPhrases(schema), ...ofItems].join('; ');
};

/** The outline of an answer: `{ok, msg, data: {token, name}}`. */
export const toShape = (schema: Schema): string => {
  const name = names.get(JSON.stringify(schema));
  if (name !== undefined) return name;
  if (schema.variants) return schema.variants.map(toShape).join(' or ');
  if (schema.items) return `[${toShape(schema.items)}]`;
  if (!schema.properties) return toType(schema);
  const fields = Object.entries(schema.properties).map(([field, value]) => {
    const key = schema.required?.includes(field) ? field : `${field}?`;
    const isPlain = !value.properties && !value.items && !names.has(JSON.stringify(value)) && value.type !== 'null';
    return isPlain ? key : `${key}: ${toShape(value)}`;
  });
  return `{${fields.join(', ')}}`;
};

export const toTable = (head: readonly string[], rows: readonly (readonly string[])[]): string[] =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);

/** The fields of an object; `Required` only where the object is something that a client sends. */
export const toFieldTable = (schema: Schema, { isInput = false } = {}): string[] => {
  const rows = Object.entries(schema.properties ?? {}).map(([field, value]) => [
    `\`${field}\``,
    toType(value),
    ...(isInput ? [schema.required?.includes(field) ? 'yes' : 'no'] : []),
    toRules(value),
  ]);
  return toTable(['Field', 'Type', ...(isInput ? ['Required'] : []), isInput ? 'Rules' : 'Notes'], rows);
};
