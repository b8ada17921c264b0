/** What the statements that suspend a user, and those of links with which a user sets a password, do for one user alone. */
import { randomUUID } from 'node:crypto';
import type { Look, Transaction } from './single-statements.ts';

const SECRET_HASH = Buffer.alloc(32, 1);

/** A link of the user, which ends in so many seconds. */
const plantLink = async ({ plant }: Transaction, userId: string, seconds: number): Promise<string> => {
  const id = randomUUID();
  await plant(
    `insert into password_links (user_id, id, secret_hash, expires_at) values ($1, $2, $3, now() + make_interval(secs => $4))
     on conflict (user_id) do update set id = excluded.id, secret_hash = excluded.secret_hash, expires_at = excluded.expires_at`,
    [userId, id, SECRET_HASH, seconds],
  );
  return id;
};

/** A suspension cancels the runs of nobody else and stops nobody else's terminals; a link ends, and only its user's. */
export const anothersUsers: Look[] = [
  async ({ run, plant }, { owner, stranger, runId }) => {
    await plant(`update bulk_runs set finished_at = null, canceled_at = null where id = $1`, [runId]);
    const isListed = async (userId: string) =>
      (await run('list_open_runs_of_suspended', [userId])).some(({ id }) => id === runId);
    return [await isListed(owner.user.id), await isListed(stranger.user.id)];
  },
  async ({ run, plant }, { owner, stranger }) => {
    const suspend = `update users set status = 1, suspended_terminals = $2 where id = $1`;
    await plant(suspend, [owner.user.id, 'trading_off']);
    await plant(suspend, [stranger.user.id, 'stop']);
    return [await run('find_held_user', [owner.user.id]), await run('list_held_users', [[owner.user.id]])];
  },
  async ({ run }, { owner, stranger, terminalId }) => {
    const isListed = async (userId: string) =>
      (await run('list_terminals_of_suspended', [userId])).some(({ id }) => id === terminalId);
    return [await isListed(owner.user.id), await isListed(stranger.user.id)];
  },
  async (tx, { owner, stranger }) => {
    await plantLink(tx, owner.user.id, 60);
    await plantLink(tx, stranger.user.id, 60);
    await tx.run('delete_password_link', [owner.user.id]);
    return tx.plant('select user_id = $1 as is_owners from password_links where user_id = any($2)', [
      owner.user.id,
      [owner.user.id, stranger.user.id],
    ]);
  },
  // A session is confirmed by its own user alone.
  async ({ run, plant }, { owner, stranger }) => {
    const [token] = await plant('select min(id) as id from tokens where user_id = $1', [owner.user.id]);
    const confirm = async (userId: string) => (await run('confirm_session', [token?.id, userId])).length;
    return [await confirm(owner.user.id), await confirm(stranger.user.id)];
  },
  // An invitation ends.
  ...['find_invitation', 'take_invitation', 'list_invitations'].map(
    (name): Look =>
      async ({ run, plant }, { owner }) => {
        const seen = [];
        for (const seconds of [60, -1]) {
          const id = randomUUID();
          await plant('delete from invitations', []);
          await plant(
            `insert into invitations (id, secret_hash, plan, created_by, expires_at)
         values ($1, $2, 0, $3, now() + make_interval(secs => $4))`,
            [id, SECRET_HASH, owner.user.id, seconds],
          );
          seen.push((await run(name, name === 'list_invitations' ? [] : [id, SECRET_HASH])).length);
        }
        return seen;
      },
  ),
  ...['find_password_link', 'take_password_link'].map((name): Look => async (tx, { owner }) => {
    const seen = [];
    for (const seconds of [60, -1]) {
      const id = await plantLink(tx, owner.user.id, seconds);
      seen.push((await tx.run(name, [id, SECRET_HASH])).length);
    }
    return seen;
  }),
];
