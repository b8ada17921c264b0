import { sql, type Queryable } from '../db/database.ts';
import type { Vault } from '../secrets/vault.ts';

const storeStatement = sql(
  'store_terminal_password',
  `insert into terminal_secrets (terminal_id, field, sealed) values ($1, 'password', $2)
   on conflict (terminal_id, field) do update set sealed = excluded.sealed, updated_at = now()`,
);

/** Encrypts a trading password and stores it as the terminal's own. */
export const storePassword = async (
  db: Queryable,
  vault: Vault,
  terminalId: string,
  password: string,
): Promise<void> => {
  await db.query(storeStatement, [terminalId, vault.seal(password, `terminals/${terminalId}/password`)]);
};

const forgetStatement = sql('forget_terminal_password', `delete from terminal_secrets where terminal_id = $1`);

export const forgetPassword = async (db: Queryable, terminalId: string): Promise<void> => {
  await db.query(forgetStatement, [terminalId]);
};
