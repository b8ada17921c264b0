/** Slow bodies: if the caller loses the right to call in the meantime, nothing is carried out. */
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { AccountStatus } from '@berth/contract';
import { waitFor, useTestServer } from '@berth/testing';
import { beforeAll, expect, test, vi } from 'vitest';

const server = useTestServer();
let lookUps = 0;
beforeAll(async () => {
  const { identities } = server.services;
  const findUser = identities.findUser.bind(identities);
  vi.spyOn(identities, 'findUser').mockImplementation(async (id) => {
    const found = await findUser(id);
    lookUps += 1;
    return found;
  });
});

/** Sends half of the body, does something once the caller was looked up, and sends the rest. @returns the status */
const sendInHalves = async (path: string, token: string, body: object, between: () => Promise<unknown>) => {
  const text = JSON.stringify(body);
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    'content-length': text.length,
  };
  const sent = request(server.url + path, { method: 'POST', headers });
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>;
  const before = lookUps;
  sent.write(text.slice(0, 5));
  await waitFor(async () => lookUps > before);
  await between();
  sent.end(text.slice(5));
  const [answer] = await answered;
  answer.resume();
  await once(answer, 'end');
  return answer.statusCode;
};

const countProjects = async (userId: string): Promise<unknown> =>
  (await server.query('select count(*)::integer as total from projects where user_id = $1', [userId]))[0]?.total;

test('a token that is revoked while its body arrives creates nothing', async () => {
  const { token, user } = await server.register('Revoked');
  const before = await countProjects(user.id);
  const logOut = () => server.request('POST', '/v1/auth/logout', { token });
  expect(await sendInHalves('/v1/my/projects', token, { name: 'Late' }, logOut)).toBe(401);
  expect(await countProjects(user.id)).toBe(before);
});

test('an account that is suspended while its body arrives creates nothing', async () => {
  const { token, user } = await server.register('Suspended');
  const before = await countProjects(user.id);
  const suspend = () => server.query('update users set status = $2 where id = $1', [user.id, AccountStatus.SUSPENDED]);
  expect(await sendInHalves('/v1/my/projects', token, { name: 'Late' }, suspend)).toBe(403);
  expect(await countProjects(user.id)).toBe(before);
});

test('a body that comes in halves is carried out where nothing happened meanwhile', async () => {
  const { token, user } = await server.register('Slow');
  const before = Number(await countProjects(user.id));
  expect(await sendInHalves('/v1/my/projects', token, { name: 'Late' }, async () => undefined)).toBe(200);
  expect(await countProjects(user.id)).toBe(before + 1);
});
