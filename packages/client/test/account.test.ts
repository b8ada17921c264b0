/** An account and what belongs to it, by the client, on a real server. */
import { TEST_PASSWORD, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';
import { AuthenticationError, Berth, NotFoundError, RefusedError, ValidationError } from '../src/index.ts';

const server = useTestServer();
let berth: Berth;

beforeAll(async () => {
  const { token } = await server.register('Ada Lovelace');
  berth = new Berth({ baseUrl: server.url, token });
});

it('a client registers, logs in, says who is there, and logs out', async () => {
  const visitor = new Berth({ baseUrl: server.url });
  const { user } = await visitor.auth.register({
    name: 'Grace Hopper',
    email: 'grace@example.com',
    password: TEST_PASSWORD,
  });
  expect(user.name).toBe('Grace Hopper');
  const { token } = await visitor.auth.login({ email: 'grace@example.com', password: TEST_PASSWORD });
  const grace = new Berth({ baseUrl: server.url, token });
  expect(await grace.auth.session()).toMatchObject({ user: { is_operator: false }, csrf_token: null });
  await grace.auth.logout();
  await expect(grace.account.profile()).rejects.toThrow(AuthenticationError);
});

it('signing in reports wrong fields by their names', async () => {
  const failure = await new Berth({ baseUrl: server.url }).auth
    .login({ email: 'nobody@example.com', password: 'wrong' })
    .catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ValidationError);
  expect(failure).toMatchObject({ status: 422, errors: { email: [expect.any(String)] } });
  expect((failure as ValidationError).requestId).toMatch(/^[0-9a-f-]{36}$/);
});

it('an account has projects in pages and as a whole, and refuses to lose the default one', async () => {
  for (const name of ['North', 'South']) await berth.projects.create({ name });
  const page = await berth.projects.page({ per_page: 1, page: 2 });
  expect(page.data).toHaveLength(1);
  expect(page.pagination).toMatchObject({ current_page: 2, total: 3 });
  const all = await berth.projects.list().toArray();
  expect(all.map(({ name }) => name)).toEqual(['South', 'North', 'Default project']);
  const refusal = berth.projects.delete(all[2]!.id);
  await expect(refusal).rejects.toThrow(RefusedError);
  await expect(refusal).rejects.toMatchObject({ status: 200, code: 'default_project' });
  await berth.projects.update(all[0]!.id, { description: 'Where it is warm' });
  await berth.projects.delete(all[0]!.id);
  await expect(berth.projects.update(all[0]!.id, { name: 'Gone' })).rejects.toThrow(NotFoundError);
});
