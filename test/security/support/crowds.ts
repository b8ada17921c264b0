/**
 * Limits that count: a user who has as much of everything as is allowed. Others must not be in this user's way, nor
 * this user in theirs.
 */
import { MAX_PROJECTS, MAX_TOKENS, TaskType } from '@berth/contract';
import type { TestServer } from '@berth/testing';
import type { Scene } from './borders.ts';
import { call, runSql, type Account } from './world.ts';

/** Who is there in every scene: they are made once, since each costs a hash of a password. */
export interface Lasting {
  operator: Account;
  /** Has as many tokens and projects as an account may. */
  crowd: Account;
}

export const createLasting = async (server: TestServer): Promise<Lasting> => ({
  operator: await server.registerOperator(),
  crowd: await server.register('Crowd'),
});

/** What a mutant took from them is given back. */
export const renewLasting = async (server: TestServer, { operator, crowd }: Lasting): Promise<void> => {
  const count = 'from generate_series((select count(*) from';
  const tokens = `
    insert into tokens (user_id, name, abilities, secret_hash)
    select $1, 'made', '{read}', sha256(gen_random_uuid()::text::bytea)
    ${count} tokens where user_id = $1) + 1, $2::integer)`;
  const projects = `
    insert into projects (id, user_id, name) select gen_random_uuid(), $1, 'one of many'
    ${count} projects where user_id = $1) + 1, $2::integer)`;
  await runSql(server, tokens, [crowd.user.id, MAX_TOKENS]);
  await runSql(server, projects, [crowd.user.id, MAX_PROJECTS]);
  const { status } = await server.request('GET', '/v1/my/account/profile', { token: operator.token });
  if (status === 200) return;
  const { email, password } = operator.user;
  operator.token = (await call(server, '', 'POST', '/v1/auth/login', { email, password })).data.token;
};

/** The password that the stranger has when the looks of borders.ts are over. */
export const CHANGED_PASSWORD = 'quite another one';

/** The stranger logs in with an account full of tokens: only their own make room. */
export const logInWhenFull = async ({ server, stranger }: Scene): Promise<unknown[]> => {
  const fill = `
    insert into tokens (user_id, name, abilities, secret_hash, is_login)
    select $1, 'Login', '{*}', sha256(gen_random_uuid()::text::bytea), true
    from generate_series((select count(*) from tokens where user_id = $1) + 1, $2::integer)`;
  await runSql(server, fill, [stranger.user.id, MAX_TOKENS]);
  const body = { email: stranger.user.email, password: CHANGED_PASSWORD };
  const { status } = await server.request('POST', '/v1/auth/login', { body });
  return [
    status,
    ...(await runSql(server, `select count(*) as total from tokens where user_id = $1`, [stranger.user.id])),
  ];
};

/** The stranger's terminal logs in to the account that the owner's has, too: that is nobody's business. */
export const useSameAccount = async ({ server, stranger, strangersTerminalId }: Scene): Promise<unknown> => {
  const payload = { login: '1001', server_name: 'Harbour-Demo', password: 'pass-1001' };
  const path = `/v1/my/trading/terminals/${strangersTerminalId}/tasks`;
  const { msg, data } = await call(server, stranger.token, 'POST', path, { type: TaskType.ACCOUNT_LOGIN, payload });
  await call(server, stranger.token, 'POST', `${path}/${data.id}/cancel`);
  return /same account/.test(msg as string);
};
