/** What the database holds, as one text: equal snapshots mean that nothing was changed. */
import { runSql } from './world.ts';
import type { TestServer } from '@berth/testing';

/** The use of a token is noted off the path of its request; a host counts the terminals of all its users; an open run has turns. */
const ignored: Record<string, string[]> = {
  tokens: ['last_used_at'],
  hosts: ['terminal_count', 'updated_at'],
  bulk_runs: ['served_at'],
};
/**
 * `scheduler` notes every second that it lives; codes for new passwords are written after the answer, on purpose; uses are
 * counted; what is stored is added up.
 */
const ignoredTables = new Set([
  ...['scheduler', 'reset_codes', 'reset_mails', 'reset_tries', 'rate_uses'],
  ...['storage_usage', 'storage_changes'],
]);

/** A sign-in that fails is noted, and so is a password that is given again and wrong: to be seen, not to be used. */
const conditions: Record<string, string> = { audit_log: `t.result <> 'refused'` };

export const listTables = async (server: TestServer): Promise<string[]> => {
  const rows = await runSql<{ name: string }>(
    server,
    `select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  return rows.map(({ name }) => name);
};

const toHash = (table: string, condition: string): string => {
  const columns = (ignored[table] ?? []).map((name) => ` - '${name}'`).join('');
  const text = columns === '' ? 't::text' : `(to_jsonb(t)${columns})::text`;
  const hash = `md5(coalesce(string_agg(md5(${text}), '' order by md5(${text})), ''))`;
  return `select '${table}' as name, count(*) as total, ${hash} as hash from ${table} t where ${condition}`;
};

const toSnapshot = async (server: TestServer, parts: string[]): Promise<string> => {
  // Parts that are read side by side come in any order.
  const text = `${parts.join(' union all ')} order by name`;
  const rows = await runSql<{ name: string; total: number; hash: string }>(server, text);
  return rows.map(({ name, total, hash }) => `${name} ${total} ${hash}`).join('\n');
};

/** Makes a function that takes snapshots of the whole database. */
export const createSnapshots = async (server: TestServer): Promise<() => Promise<string>> => {
  const tables = (await listTables(server)).filter((name) => !ignoredTables.has(name));
  return () =>
    toSnapshot(
      server,
      tables.map((table) => toHash(table, conditions[table] ?? 'true')),
    );
};

/** Everything that belongs to a user, and the host that carries it. */
export const takeUserSnapshot = (server: TestServer, userId: string, hostId: string): Promise<string> => {
  const own = ['projects', 'tokens', 'notifications', 'terminals', 'tasks', 'files', 'idempotency_keys'];
  const ofTerminals = `t.terminal_id in (select id from terminals where user_id = '${userId}')`;
  return toSnapshot(server, [
    toHash('users', `t.id = '${userId}'`),
    toHash('hosts', `t.id = '${hostId}'`),
    ...own.map((table) => toHash(table, `t.user_id = '${userId}'`)),
    toHash('terminal_secrets', ofTerminals),
    toHash('task_leases', ofTerminals),
    toHash('task_history', `t.task_id in (select id from tasks where user_id = '${userId}')`),
  ]);
};
