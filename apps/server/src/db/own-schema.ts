/**
 * The schema that holds Berth's tables: the first one of the role's `search_path` when they were created. That is
 * "public" only where the role may create tables in it, which by default it may not since PostgreSQL 15. The table of
 * migrations identifies it; other programs may have one of the same name.
 */
import type pg from 'pg';

const FIND = `
  select n.nspname as name
  from unnest(current_schemas(false)) with ordinality as path (name, place)
  join pg_namespace n on n.nspname = path.name
  join pg_class c on c.relnamespace = n.oid and c.relname = 'migrations' and c.relkind = 'r'
  join pg_attribute a on a.attrelid = c.oid and a.attname = 'sha256'
  order by path.place
  limit 1`;

/**
 * Puts it first in the connection's search path, so that unqualified names mean its tables. Undefined when there is
 * none.
 */
export const enterOwnSchema = async (client: pg.ClientBase): Promise<string | undefined> => {
  const name = (await client.query<{ name: string }>(FIND)).rows[0]?.name;
  if (name === undefined) return undefined;
  const enter = `select set_config('search_path', concat_ws(', ', quote_ident($1), nullif(current_setting('search_path'), '')), false)`;
  await client.query(enter, [name]);
  return name;
};
