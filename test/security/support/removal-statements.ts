/** What the removal of an account takes: of its user alone. */
import { randomUUID } from 'node:crypto';
import { listStatements } from '@berth/testing';
import type { Look, Transaction } from './single-statements.ts';

const REMOVAL = /^remove_(\w+)_of_user$/;

/** As if the user had no terminal any more, and another one had. */
const withoutTerminals = async ({ plant }: Transaction, userId: string): Promise<void> => {
  await plant('update terminals set deleted_at = now() where user_id = $1', [userId]);
};

/** By names that they have while none is a mutant. */
const tables = listStatements()
  .map(({ name }) => REMOVAL.exec(name)?.[1])
  .filter((table) => table !== undefined);

export const anothersRemoval: Look[] = [
  // In place of each table there is one with a row of either user, which the statement finds before it.
  ...tables.map((table): Look => async ({ run, plant }, { owner, stranger }) => {
    const ids = [owner.user.id, stranger.user.id];
    if (table === 'webhook_deliveries') {
      await plant('create temporary table webhooks (id uuid, user_id uuid) on commit drop', []);
      await plant('insert into webhooks select id, id from unnest($1::uuid[]) as u (id)', [ids]);
    }
    await plant(`create temporary table ${table} (user_id uuid, webhook_id uuid) on commit drop`, []);
    await plant(`insert into ${table} select id, id from unnest($1::uuid[]) as u (id)`, [ids]);
    await run(`remove_${table}_of_user`, [100, stranger.user.id]);
    return plant(`select user_id = $1 as is_owners from ${table}`, [owner.user.id]);
  }),
  async (tx, { stranger }) => {
    await withoutTerminals(tx, stranger.user.id);
    const found = ['list_terminals_of_removed_user', 'has_terminal_of_removed_user'];
    const seen = [];
    for (const name of found) seen.push((await tx.run(name, [stranger.user.id])).length);
    return seen;
  },
  async (tx, { owner, stranger }) => {
    for (const { user } of [owner, stranger]) await withoutTerminals(tx, user.id);
    await tx.run('age_terminals_of_removed_user', [stranger.user.id]);
    const young = `select count(*) as total from terminals where user_id = $1 and deleted_at < now()`;
    return tx.plant(young, [owner.user.id]);
  },
  async (tx, { owner, stranger }) => {
    await withoutTerminals(tx, stranger.user.id);
    await tx.run('unname_projects_of_removed_user', [stranger.user.id]);
    await tx.run('unname_removed_user', [stranger.user.id]);
    return tx.plant(
      `select (select deleted_at is not null from users where id = $2) as is_removed,
         exists (select from projects where user_id = $1 and name <> '') as has_names`,
      [owner.user.id, stranger.user.id],
    );
  },
  async ({ run, plant }, { owner, stranger }) => {
    const id = randomUUID();
    // The real one may have more rows than one statement takes.
    await plant('create temporary table audit_log (like public.audit_log) on commit drop', []);
    await plant(
      `insert into audit_log (id, at, user_id, actor_kind, action, target_type, after, result)
       values ($1, now(), $2, 'user', 'project.update', 'project', '{"name": "Metals"}', 'done')`,
      [id, owner.user.id],
    );
    await run('forget_removed_user_in_audit_log', [stranger.user.id]);
    return plant('select after is not null as is_kept from audit_log where id = $1', [id]);
  },
];
