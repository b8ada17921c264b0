import pg from 'pg';

const { TIMESTAMPTZ, INT8, NUMERIC } = pg.types.builtins;

/** PostgreSQL's text of a timestamptz (time zone UTC) → `2026-01-31T08:15:30.123456Z`. */
export const toTimestamp = (text: string): string => {
  const zone = text.indexOf('+', 19);
  const body = zone === -1 ? text : text.slice(0, zone);
  const fraction = body.length > 20 ? body.slice(20).padEnd(6, '0') : '000000';
  return `${body.slice(0, 10)}T${body.slice(11, 19)}.${fraction}Z`;
};

const parsers = new Map<number, (text: string) => unknown>([
  [TIMESTAMPTZ, toTimestamp],
  [INT8, Number],
  [NUMERIC, Number],
]);

type Parser = (text: string) => unknown;

/** How columns become values: timestamps in the API's format, numbers as numbers. */
export const rowTypes: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    const own = format === 'binary' ? undefined : parsers.get(oid);
    return own ?? (pg.types.getTypeParser(oid, format ?? 'text') as Parser);
  },
};
