import { WEBHOOK_ROTATION_HOURS } from '@berth/contract';
import { sql, type Queryable } from '../db/database.ts';
import { SECRET_KEYS_LOCK } from '../db/locks.ts';

export interface KnownKey {
  id: string;
  role: 'sealing' | 'opening' | 'lost';
}

const lockStatement = sql('lock_secret_keys', `select pg_advisory_xact_lock(${SECRET_KEYS_LOCK})`);

/** Lets one server at a time compare its keys with those of the database; released with the transaction. */
export const lockSecretKeys = async (tx: Queryable): Promise<void> => {
  await tx.query(lockStatement);
};

const listStatement = sql('list_secret_keys', `select id, role from secret_keys order by id`);

export const listSecretKeys = (db: Queryable): Promise<KnownKey[]> => db.query<KnownKey>(listStatement);

// Without a name: it reads all secrets, and only runs when a key is missing.
const findUsedStatement = sql(
  '',
  `select k.id from unnest($1::text[]) as k (id)
   where exists (select from terminal_secrets where sealed like 'v1.' || k.id || '.%')
      or exists (select from tasks where sealed like 'v1.' || k.id || '.%')
      or exists (select from bulk_runs where sealed like 'v1.' || k.id || '.%')
      or exists (select from alert_channels where secrets like 'v1.' || k.id || '.%')
      or exists (select from webhooks where secret like 'v1.' || k.id || '.%'
        or previous_secret like 'v1.' || k.id || '.%'
        and secret_rotated_at > now() - interval '${WEBHOOK_ROTATION_HOURS} hours')`,
);

/** Those of the keys that a secret is encrypted with. */
export const findUsedKeys = async (tx: Queryable, ids: readonly string[]): Promise<string[]> =>
  (await tx.query<{ id: string }>(findUsedStatement, [ids])).map(({ id }) => id);

const giveUpStatement = sql('give_up_secret_keys', `update secret_keys set role = 'lost' where id = any ($1)`);

export const giveUpSecretKeys = async (tx: Queryable, ids: readonly string[]): Promise<void> => {
  await tx.query(giveUpStatement, [ids]);
};

const forgetStatement = sql('forget_secret_keys', `delete from secret_keys where id = any ($1)`);

export const forgetSecretKeys = async (tx: Queryable, ids: readonly string[]): Promise<void> => {
  await tx.query(forgetStatement, [ids]);
};

const demoteStatement = sql(
  'demote_secret_keys',
  `update secret_keys set role = 'opening' where id = any ($1) and role <> 'opening' or role = 'sealing' and id <> $2`,
);

const promoteStatement = sql(
  'promote_secret_key',
  `insert into secret_keys (id, role) values ($1, 'sealing')
   on conflict (id) do update set role = 'sealing' where secret_keys.role <> 'sealing'`,
);

/** From now on this key encrypts; the server also has the others. */
export const takeSecretKeys = async (
  tx: Queryable,
  { sealing, opening }: { sealing: string; opening: readonly string[] },
): Promise<void> => {
  await tx.query(demoteStatement, [opening, sealing]);
  await tx.query(promoteStatement, [sealing]);
};
