import {
  CONTROL_CHARACTERS,
  BrowserSession,
  BulkCreation,
  BulkRun,
  BulkRunItem,
  CreatedTask,
  CursorPagination,
  EXPERT_PATTERN,
  StoredFile,
  Host,
  NotificationSettings,
  UserNotification,
  Offers,
  StorageUsage,
  Pagination,
  PaginationWithTo,
  Profile,
  Project,
  Region,
  SYMBOL_PATTERN,
  Task,
  TaskMove,
  Terminal,
  TerminalDetails,
  TerminalItem,
  TerminalListItem,
  Token,
} from '@berth/contract';

export type Json = { [key: string]: unknown };

/** Resources that the document names once and refers to. */
const resources = {
  BrowserSession,
  BulkCreation,
  BulkRun,
  BulkRunItem,
  CreatedTask,
  CursorPagination,
  File: StoredFile,
  Host,
  Notification: UserNotification,
  NotificationSettings,
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
  TerminalDetails,
  TerminalItem,
  TerminalListItem,
  Token,
};

/** The contract's own keywords, expressed in JSON Schema. */
const keywords: Record<string, Json> = {
  singleLine: { pattern: `^[^${CONTROL_CHARACTERS}]*$` },
  symbolName: { pattern: SYMBOL_PATTERN },
  expertName: { pattern: EXPERT_PATTERN },
  notEmpty: {},
  isoDate: { format: 'date' },
  isoDateTime: { format: 'date-time' },
  taskStatusList: { pattern: '^ *\\w+ *(, *\\w+ *)*$' },
  taskTypeList: { pattern: '^ *\\w+ *(, *\\w+ *)*$' },
  terminalStatusList: { pattern: '^ *\\w+ *(, *\\w+ *)*$' },
  taskStatusNumber: {},
  taskTypeNumber: {},
  uuidList: { pattern: '^ *[0-9A-Fa-f-]{36} *(, *[0-9A-Fa-f-]{36} *)*$' },
  webOrigin: { format: 'uri' },
};

/** By text, because a schema inside `Type.Optional` is a copy. */
const names = new Map(Object.entries(resources).map(([name, schema]) => [JSON.stringify(schema), name]));

const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null;

const convert = (value: unknown, isRoot: boolean): unknown => {
  if (Array.isArray(value)) return value.map((item) => convert(item, false));
  if (!isObject(value)) return value;
  const name = isRoot ? undefined : names.get(JSON.stringify(value));
  if (name !== undefined) return toReference(name);
  // The serialiser's object schema covers several variants; only those are shown.
  if (Array.isArray(value.variants)) return { oneOf: convert(value.variants, false) };
  const result: Json = {};
  for (const [key, item] of Object.entries(value)) {
    // Only a boolean under such a key is the keyword; anything else is a property that happens to have that name.
    if (keywords[key] && typeof item === 'boolean') Object.assign(result, keywords[key]);
    else result[key] = convert(item, false);
  }
  return result;
};

/** A schema of the contract as plain JSON Schema, the resources in it replaced by references. */
export const toPlainSchema = (schema: object): Json => convert(schema, false) as Json;

const withoutDefault = (_key: string, value: unknown): unknown => {
  if (!isObject(value)) return value;
  const { default: whenAbsent, description, ...schema } = value;
  if (typeof whenAbsent !== 'string' && typeof whenAbsent !== 'number') return value;
  const note = `default ${whenAbsent}`;
  return { ...schema, description: typeof description === 'string' ? `${description}; ${note}` : note };
};

/**
 * The same for request bodies. Defaults are put into the descriptions: client generators take a field with a default
 * for one that is always present, and would make their users send it.
 */
export const toInputSchema = (schema: object): Json =>
  JSON.parse(JSON.stringify(toPlainSchema(schema), withoutDefault)) as Json;

/** A reference to a schema of the document. */
export const toReference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** What the references point to. */
export const resourceSchemas: Json = Object.fromEntries(
  Object.entries(resources).map(([name, schema]) => [name, convert(schema, true)]),
);
