import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { DEFAULT_PER_PAGE, MAX_COUNTED_ROWS, MAX_PER_PAGE } from './limits.ts';

export { Type, type Static, type TObject, type TSchema };

/**
 * `type: [kind, "null"]` rather than `anyOf`: the serialiser then needs no validation at run time.
 */
export const Nullable = <Value = string>(
  kind: 'string' | 'integer' | 'number' | 'boolean' | 'object',
  options: object = {},
) => Type.Unsafe<Value | null>({ ...options, type: [kind, 'null'] });

/** That an object may be null, in a form that the serialiser takes. */
export const orNull = <Schema extends TSchema>(schema: Schema, options: object = {}) =>
  Type.Unsafe<Static<Schema> | null>({ ...schema, ...options, type: ['object', 'null'] });

export const Uuid = (description: string) =>
  Type.String({ format: 'uuid', description, examples: ['0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10'] });

/** ISO 8601, UTC, microseconds: `2026-01-31T08:15:30.123456Z`. */
export const Timestamp = (description?: string) =>
  Type.String({ ...(description ? { description } : {}), examples: ['2026-01-31T08:15:30.123456Z'] });

export const NullableTimestamp = (description?: string) =>
  Nullable('string', { ...(description ? { description } : {}), examples: ['2026-01-31T08:15:30.123456Z', null] });

/** An object of unknown shape, kept as it is. */
export const AnyObject = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description });

/** One of a fixed list of strings, as a plain JSON Schema enum. */
export const OneOf = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: [...values], ...options });

/**
 * One of the numbers of a table, as a plain JSON Schema enum.
 * @example
 * import { OneOfNumbers, type Static } from '@berth/contract';
 * const Direction = OneOfNumbers([0, 1]);
 * const up: Static<typeof Direction> = 1; // => 1
 */
export const OneOfNumbers = <const Values extends readonly number[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'integer', enum: [...values], ...options });

/**
 * One of a table's numbers in a query: stated as a range, so that a text that is not a number, or one out of range,
 * gets the same error as elsewhere.
 */
export const NumberWithin = <const Values extends readonly number[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({
    ...options,
    type: 'integer',
    minimum: Math.min(...values),
    maximum: Math.max(...values),
  });

/** 0 or 1, the API's representation of a boolean inside a task payload. */
export const Switch = (description: string) => Type.Unsafe<0 | 1>({ type: 'integer', enum: [0, 1], description });

/**
 * For optional fields: null, and empty text, is an invalid value, and not the same as leaving the field out. For fields
 * whose absence means more: all terminals, all rights.
 */
export const notEmpty = { notEmpty: true };

/** Text of one line: no control characters, so that it cannot inject a line into a configuration file. */
export const Line = (options: { minLength?: number; maxLength: number; pattern?: string; description?: string }) =>
  Type.String({ ...options, singleLine: true });

/** A name of 255 characters and an id, encoded, take half of it. */
const MAX_CURSOR_LENGTH = 4096;

const PaginationFields = {
  current_page: Type.Integer(),
  last_page: Type.Integer(),
  per_page: Type.Integer(),
  total: Type.Integer(),
  first_page_url: Type.String(),
  last_page_url: Type.String(),
  next_page_url: Nullable('string', { description: 'null on the last page' }),
  prev_page_url: Nullable('string', { description: 'null on the first page' }),
  from: Nullable<number>('integer', { description: 'index of the first item on the page; null on an empty page' }),
};

export const Pagination = Type.Object(PaginationFields);
export const PaginationWithTo = Type.Object({
  ...PaginationFields,
  to: Nullable<number>('integer', { description: 'index of the last item on the page; null on an empty page' }),
});
/** The same for a list that is counted up to a bound only. */
export const BoundedPagination = Type.Object({
  ...PaginationWithTo.properties,
  is_total_exact: Type.Boolean({
    description: `false: there are more than ${MAX_COUNTED_ROWS} items, which \`total\` does not count, and \`last_page\` is not the last one`,
  }),
});
export type Pagination = Static<typeof Pagination>;
export type PaginationWithTo = Static<typeof PaginationWithTo>;
export type BoundedPagination = Static<typeof BoundedPagination>;

/** For a list that is read by cursor. Nothing is counted for it. */
export const CursorPagination = Type.Object({
  per_page: Type.Integer(),
  next_cursor: Nullable('string', { description: 'The `after` of the next request; null at the end of the list' }),
});
export type CursorPagination = Static<typeof CursorPagination>;

/**
 * One of several objects. The serialiser gets a single schema that covers all of them, because it would validate the
 * variants of a union against each other; the compiler and the documentation get the variants.
 */
export const toVariants = <const Variants extends readonly TSchema[]>(written: TObject, variants: Variants) =>
  Type.Unsafe<Static<Variants[number]>>({ ...written, variants });

const toOptional = ({ properties }: TObject): TObject =>
  Type.Object(Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, Type.Optional(schema)])));

const toPaginationOf = <Pages extends TObject>(pages: Pages) =>
  toVariants(toOptional(Type.Object({ ...pages.properties, ...CursorPagination.properties })), [
    pages,
    CursorPagination,
  ]);

/** For a list that can be read by page and by cursor. */
export const AnyPagination = toPaginationOf(Pagination);
/** The same where pages state the number of their last item. */
export const AnyPaginationWithTo = toPaginationOf(PaginationWithTo);
/** The same for a list that is counted up to a bound only. */
export const AnyBoundedPagination = toPaginationOf(BoundedPagination);

/** `{ok, msg, data}`, the usual answer. */
export const Envelope = <Data extends TSchema>(data: Data) =>
  Type.Object({ ok: Type.Literal(true), msg: Type.String(), data });

/** The `after` that starts a walk through a list by cursor. */
export const FIRST_CURSOR = 'start';

/** How many items a page has. */
export const perPageQuery = (defaultPerPage: number = DEFAULT_PER_PAGE) => ({
  per_page: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MAX_PER_PAGE, default: defaultPerPage, description: 'Items per page' }),
  ),
});

/** Query parameters of every paginated list. */
export const pageQuery = (defaultPerPage: number = DEFAULT_PER_PAGE) => ({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page number' })),
  ...perPageQuery(defaultPerPage),
  after: Type.Optional(
    Type.String({
      maxLength: MAX_CURSOR_LENGTH,
      description: `Instead of \`page\`: \`${FIRST_CURSOR}\` begins to go through the list by cursor, the \`next_cursor\` of each answer goes on`,
    }),
  ),
});

export const Null = Type.Null();

export const RefusalCode = Type.Optional(
  Type.String({ description: 'Of some refusals; also in the header `X-Error-Code`' }),
);

/**
 * HTTP 200 with `ok` false: the request is valid, but the current state does not allow it.
 * @example
 * import type { CreatedTask, Refusal } from '@berth/contract';
 * const toText = (answer: { ok: true; msg: string; data: CreatedTask } | Refusal): string =>
 *   answer.ok ? `Task ${answer.data.id} was created.` : `Not now: ${answer.msg}`;
 * toText({ ok: false, msg: 'The terminal is being destroyed.' }); // => 'Not now: The terminal is being destroyed.'
 */
export const Refusal = Type.Object({ ok: Type.Literal(false), msg: Type.String(), code: RefusalCode });
export type Refusal = Static<typeof Refusal>;

/** Warnings about a request that was carried out although it may be a mistake. `msg` contains them, too. */
export const Warnings = Type.Optional(Type.Array(Type.String(), { description: 'With `include=warnings`' }));

/** Query parameters of requests that may get warnings. */
export const warningsQuery = {
  include: Type.Optional(
    OneOf(['warnings'], { description: 'Adds `warnings`, the sentences of `msg` that say what to mind' }),
  ),
};

/** The answer of an operation that can be refused without an error: `ok` discriminates. */
export const EnvelopeOrRefusal = <Data extends TSchema>(data: Data) =>
  toVariants(Type.Object({ ok: Type.Boolean(), msg: Type.String(), data: Type.Optional(data), code: RefusalCode }), [
    Envelope(data),
    Refusal,
  ]);

/** The same for an operation that may be carried out with warnings. */
export const WarningEnvelopeOrRefusal = <Data extends TSchema>(data: Data) =>
  toVariants(
    Type.Object({
      ok: Type.Boolean(),
      msg: Type.String(),
      data: Type.Optional(data),
      warnings: Warnings,
      code: RefusalCode,
    }),
    [Type.Object({ ok: Type.Literal(true), msg: Type.String(), data, warnings: Warnings }), Refusal],
  );
