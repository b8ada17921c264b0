/** What is over and must be of no use any more. */
import { TaskType } from '@berth/contract';
import type { Scene } from './borders.ts';
import { call, runSql } from './world.ts';

/** What is over: a file, a token, a join token. */
export const useExpired = async ({
  server,
  owner,
  terminalId,
  expiredFileId,
  expiredToken,
  expiredJoinToken,
  expiredLink,
}: Scene) => {
  const seen: unknown[] = [];
  for (const path of [`/v1/my/files/${expiredFileId}`, `/v1/my/files/${expiredFileId}/content`]) {
    seen.push((await server.request('GET', path, { token: owner.token })).status);
  }
  seen.push((await server.request('GET', '/v1/my/account/profile', { token: expiredToken })).status);
  const files = await call(server, owner.token, 'GET', '/v1/my/files');
  seen.push([(files.data as unknown[]).length, files.pagination?.total]);
  const expert = { name: 'Harbour', file_id: expiredFileId, symbol: 'EURUSD', period: 'H1' };
  const install = { type: TaskType.EA_INSTALL, payload: expert };
  const path = `/v1/my/trading/terminals/${terminalId}/tasks`;
  seen.push((await server.request('POST', path, { token: owner.token, body: install })).status);
  seen.push((await server.request('DELETE', `/v1/my/files/${expiredFileId}`, { token: owner.token })).status);
  const link = await server.request('POST', '/v1/auth/sign-in-link', { body: { code: expiredLink } });
  seen.push(link.status);
  const body = { join_token: expiredJoinToken, platforms: ['sandbox'] };
  seen.push((await server.request('POST', '/v1/agent/enrol', { body })).status);
  return seen;
};

/** Codes that are over: none is tried, and none takes the place of a new one. */
export const useOldCodes = async ({ server, owner }: Scene): Promise<unknown[]> => {
  const { email } = owner.user;
  const of = `address_hash = sha256(convert_to(lower($1), 'UTF8'))`;
  const old = `
    insert into reset_codes (id, address_hash, code_hash, tries_left, expires_at)
    select gen_random_uuid(), sha256(convert_to(lower($1), 'UTF8')), '', 5, now() - interval '1 second'
    from generate_series(1, 3)`;
  await runSql(server, old, [email]);
  for (const [table, column, caller] of [
    ['reset_mails', 'mails', ''],
    ['reset_tries', 'tries', ', caller_hash'],
  ] as const) {
    const hashes = `sha256(convert_to(lower($1), 'UTF8'))${caller && `, sha256('127.0.0.1')`}`;
    const over = `insert into ${table} (address_hash${caller}, ${column}, ends_at) values (${hashes}, 9, now() - interval '1 second')`;
    await runSql(server, over, [email]);
  }
  const password = 'not this one';
  const body = { email, code: '000000', password, password_confirmation: password };
  const { status } = await server.request('POST', '/v1/auth/reset-password', { body });
  const tries = await runSql(server, `select min(tries_left) as left from reset_codes where ${of}`, [email]);
  await call(server, '', 'POST', '/v1/auth/forgot-password', { email });
  const codes = await runSql(server, `select count(*) as total from reset_codes where ${of}`, [email]);
  return [status, ...tries, ...codes];
};
