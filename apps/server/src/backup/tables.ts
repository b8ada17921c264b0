/**
 * What a backup needs to know about the schema, read from the database itself, so that new tables need no extra work.
 * Everything here looks at the connection's current schema.
 */
import { sql, type Queryable } from '../db/database.ts';

export interface Table {
  name: string;
  /** All except generated columns. */
  columns: string[];
}

/** The current value of an identity column's sequence. */
export interface Counter {
  table: string;
  column: string;
  /** A bigint as text. */
  value: string;
  isUsed: boolean;
}

const tablesStatement = sql(
  '',
  `select c.relname as name, array_agg(a.attname::text order by a.attnum) as columns
   from pg_class c
   join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
   join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
   where c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
     and c.relname <> 'migrations'
   group by c.relname
   order by c.relname`,
);

/** A deferrable foreign key is checked at commit, one to the same table at the end of its statement. */
const referencesStatement = sql(
  '',
  `select distinct f.relname as "from", t.relname as "to"
   from pg_constraint r
   join pg_class f on f.oid = r.conrelid
   join pg_namespace n on n.oid = f.relnamespace and n.nspname = current_schema()
   join pg_class t on t.oid = r.confrelid
   where r.contype = 'f' and not r.condeferrable and r.conrelid <> r.confrelid`,
);

/** Every table except the list of migrations, each after those it references. */
export const listTables = async (db: Queryable): Promise<Table[]> => {
  const waiting = await db.query<Table>(tablesStatement);
  const references = await db.query<{ from: string; to: string }>(referencesStatement);
  const ordered: Table[] = [];
  while (waiting.length > 0) {
    const open = new Set(waiting.map(({ name }) => name));
    const next = waiting.findIndex(({ name }) => !references.some(({ from, to }) => from === name && open.has(to)));
    if (next === -1) throw new Error(`these tables refer to each other in a circle: ${[...open].join(', ')}`);
    ordered.push(...waiting.splice(next, 1));
  }
  return ordered;
};

const identitiesStatement = sql(
  '',
  `select c.relname as "table", a.attname as "column", pg_get_serial_sequence(quote_ident(c.relname), a.attname) as sequence
   from pg_attribute a
   join pg_class c on c.oid = a.attrelid
   join pg_namespace n on n.oid = c.relnamespace and n.nspname = current_schema()
   where not c.relispartition and a.attidentity <> '' and not a.attisdropped`,
);

/** Read after the tables, so that none of their numbers is handed out a second time. */
export const listCounters = async (db: Queryable): Promise<Counter[]> => {
  const identities = await db.query<{ table: string; column: string; sequence: string }>(identitiesStatement);
  const counters: Counter[] = [];
  for (const { table, column, sequence } of identities) {
    const text = `select last_value::text as value, is_called as "isUsed" from ${sequence}`;
    const [state] = await db.query<Pick<Counter, 'value' | 'isUsed'>>(sql('', text));
    if (state) counters.push({ table, column, ...state });
  }
  return counters;
};

const setCounterStatement = sql(
  '',
  `select setval(pg_get_serial_sequence(quote_ident($1), $2), $3::bigint, $4::boolean)`,
);

export const setCounter = async (db: Queryable, { table, column, value, isUsed }: Counter): Promise<void> => {
  await db.query(setCounterStatement, [table, column, value, isUsed]);
};
