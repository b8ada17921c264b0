/** What the statements of the audit log do for one user alone. */
import { randomUUID } from 'node:crypto';
import type { Look, Transaction } from './single-statements.ts';

const NOBODY = '00000000-0000-0000-0000-000000000000';
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

/** Sign-ins that failed a moment ago, each from another address. */
const plantRefused = ({ plant }: Transaction, userId: string, first: string, count: number): Promise<unknown> =>
  plant(
    `insert into audit_log (id, at, user_id, actor_kind, address, action, target_type, result)
     select gen_random_uuid(), now(), $1, 'user', $2 || n, 'account.sign_in', 'account', 'refused' from generate_series(1, $3::integer) n`,
    [userId, first, count],
  );

/** A user reads no other's log, and what fails for one user takes no room of another. */
export const anothersAudit: Look[] = [
  async (tx, { owner, stranger }) => {
    const read = async (id: string) => {
      const rows = await tx.run('list_own_audit_log', [NOBODY, LAST, null, null, 100, id, null]);
      return [rows.length > 0, rows.every(({ user_id: userId }) => userId === id)];
    };
    return [await read(owner.user.id), await read(stranger.user.id)];
  },
  async (tx, { owner, stranger }) => {
    const rows = await tx.run('list_audit_log', [NOBODY, LAST, null, null, 100, stranger.user.id, null]);
    return [rows.length > 0, rows.some(({ actor_user_id: id }) => id === owner.user.id)];
  },
  ...[1, 60].map((count): Look => async (tx, { owner, stranger }) => {
    await plantRefused(tx, stranger.user.id, '192.0.2.', count);
    const id = randomUUID();
    const by = [id, new Date(), owner.user.id, 'user', owner.user.id, null, null, count === 1 ? '192.0.2.1' : '::1'];
    const what = ['account.sign_in', 'account', owner.user.id, null, null, 'refused'];
    await tx.run('insert_refused_sign_in', [...by, ...what, NOBODY, NOBODY]);
    return tx.plant('select true as is_kept from audit_log where id = $1', [id]);
  }),
];
