import { startTestServer, type TestServer } from '@berth/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';
import { findProject } from '../src/projects/queries.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
});
afterAll(() => server.close());

const create = (token: string, body: object) => server.request('POST', '/v1/my/projects', { token, body });
const list = (token: string, query = '') => server.request('GET', `/v1/my/projects${query}`, { token });
const namesOf = (body: { data: { name: string }[] }) => body.data.map(({ name }) => name);

test('a new project is answered whole, and found by its owner only', async () => {
  const { token, user } = await server.register('Owner');
  const { status, body } = await create(token, { name: 'Gold', description: 'on gold' });
  expect(status).toBe(200);
  expect(body.data).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    name: 'Gold',
    description: 'on gold',
    created_at: expect.stringMatching(/\.\d{6}Z$/),
    updated_at: expect.stringMatching(/\.\d{6}Z$/),
  });
  const stranger = await server.register('Stranger');
  expect(await findProject(server.services.db, user.id, body.data.id)).toMatchObject({ name: 'Gold' });
  expect(await findProject(server.services.db, stranger.user.id, body.data.id)).toBeUndefined();
  expect(namesOf((await list(stranger.token)).body)).toEqual(['Default project']);
});

test('the list is newest first and paginated', async () => {
  const { token } = await server.register('Lister');
  await create(token, { name: 'One' });
  await create(token, { name: 'Two' });
  const { body } = await list(token, '?per_page=2');
  expect(namesOf(body)).toEqual(['Two', 'One']);
  expect(body.pagination).toMatchObject({ total: 3, last_page: 2, from: 1 });
  expect(body.pagination).not.toHaveProperty('to');
});

test('search looks inside names, in any case, and takes %, _ and \\ as they are', async () => {
  const { token } = await server.register('Searcher');
  for (const name of ['100% Gold', 'Silver_1', 'back\\slash', 'Straße']) await create(token, { name });
  const search = async (text: string) => namesOf((await list(token, `?search=${encodeURIComponent(text)}`)).body);
  expect(await search('GOLD')).toEqual(['100% Gold']);
  expect(await search('%')).toEqual(['100% Gold']);
  expect(await search('_')).toEqual(['Silver_1']);
  expect(await search('\\')).toEqual(['back\\slash']);
  expect(await search('straß')).toEqual(['Straße']);
  expect(await search('absent')).toEqual([]);
  expect((await list(token, '?search=silver&per_page=1')).body.pagination.first_page_url).toBe(
    `${server.url}/v1/my/projects?search=silver&per_page=1&page=1`,
  );
});

test('an account has at most 1,000 projects, however many are created at once', async () => {
  const { token, user } = await server.register('Divider');
  const { db } = server.services;
  await db.slow.query(
    sql('', `insert into projects (id, user_id, name) select gen_random_uuid(), $1, 'p' from generate_series(1, 989)`),
    [user.id],
  );
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => create(token, { name: `P${index}` })));
  expect(answers.filter(({ body }) => body.ok)).toHaveLength(10);
  for (const { status, headers, body } of answers.filter((answer) => !answer.body.ok)) {
    expect([status, headers.get('x-error-code'), body]).toEqual([
      200,
      'project_limit',
      { ok: false, msg: 'An account has at most 1000 projects.' },
    ]);
  }
  expect((await list(token)).body.pagination.total).toBe(1000);
});

test.each([
  [{}, { name: ['The name field is required.'] }],
  [{ name: '   ' }, { name: ['The name field is required.'] }],
  [{ name: 'a'.repeat(256) }, { name: ['The name field must not be greater than 255 characters.'] }],
  [{ name: 'a', description: [] }, { description: ['The description field must be a string.'] }],
  [{ name: 'nul\0' }, { name: ['The name field contains invalid characters or is nested too deeply.'] }],
])('%j is refused', async (body, errors) => {
  const { token } = await server.register('Wrong');
  const answer = await create(token, body);
  expect([answer.status, answer.body.errors]).toEqual([422, errors]);
});
