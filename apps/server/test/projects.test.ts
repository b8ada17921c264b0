import { useTestServer } from '@berth/testing';
import { expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';
import { findProject } from '../src/projects/queries.ts';

const server = useTestServer();

const create = (token: string, body: object) => server.request('POST', '/v1/my/projects', { token, body });
const list = (token: string, query = '') => server.request('GET', `/v1/my/projects${query}`, { token });
/** What Berth has none of. */
const NONE = 0;
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
    resources_count: 0,
    used_at: null,
    url: null,
    type: NONE,
    charge: 0,
    soft_limit: null,
    hard_limit: null,
    status: NONE,
  });
  const stranger = await server.register('Stranger');
  expect(await findProject(server.services.db, user.id, body.data.id)).toMatchObject({ name: 'Gold' });
  expect(await findProject(server.services.db, stranger.user.id, body.data.id)).toBeUndefined();
  expect(namesOf((await list(stranger.token)).body)).toEqual(['Default project']);
});

test('projects are listed newest first', async () => {
  const { token } = await server.register('Lister');
  await create(token, { name: 'One' });
  await create(token, { name: 'Two' });
  expect(namesOf((await list(token, '?per_page=2')).body)).toEqual(['Two', 'One']);
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
      { ok: false, msg: 'An account has at most 1000 projects.', code: 'project_limit' },
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

const TERMINALS = '/v1/my/trading/terminals';
const account = { server_name: 'Demo', login: '1', password: 'x', region: 0 };

const createOwner = async () => {
  const { token } = await server.register('Owner');
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const { id } = (await create(token, { name: 'Gold' })).body.data as { id: string };
  const [, byDefault] = (await list(token)).body.data as { id: string }[];
  return { token, send, id, path: `/v1/my/projects/${id}`, defaultId: byDefault!.id };
};

test('a project counts its terminals, and shows when the newest was created', async () => {
  const { send, id, path, token } = await createOwner();
  const first = (await send('POST', TERMINALS, { ...account, project_id: id })).body.data;
  const second = (await send('POST', TERMINALS, { ...account, project_id: id })).body.data;
  await send('POST', TERMINALS, account);
  const readOne = async () => (await list(token, '?search=gold')).body.data[0];
  expect(await readOne()).toMatchObject({ resources_count: 2, used_at: second.created_at });
  await send('DELETE', `${TERMINALS}/${second.id}`);
  expect(await readOne()).toMatchObject({ resources_count: 1, used_at: first.created_at });
  expect((await send('PATCH', path, { name: 'Silver' })).body.data).toMatchObject({ resources_count: 1 });
});

test('a project is deleted when it has no terminal and is not the default', async () => {
  const { send, id, path, defaultId, token } = await createOwner();
  const { data: terminal } = (await send('POST', TERMINALS, { ...account, project_id: id })).body;
  const refused = await send('DELETE', path);
  expect([refused.status, refused.headers.get('x-error-code'), refused.body]).toEqual([
    200,
    'project_in_use',
    {
      ok: false,
      msg: 'The project has terminals, webhooks, alert rules or risk rules. Move them to another project or delete them first.',
      code: 'project_in_use',
    },
  ]);
  const byDefault = await send('DELETE', `/v1/my/projects/${defaultId}`);
  expect([byDefault.status, byDefault.headers.get('x-error-code'), byDefault.body.ok]).toEqual([
    200,
    'default_project',
    false,
  ]);
  await send('PATCH', `${TERMINALS}/${terminal.id}`, { project_id: defaultId });
  const gone = await send('DELETE', path);
  expect([gone.status, gone.body]).toEqual([200, { ok: true, msg: 'Project deleted successfully.', data: null }]);
  expect((await send('DELETE', path)).status).toBe(404);
  expect((await list(token)).body.pagination.total).toBe(1);
});

test('destroyed terminals do not keep a project', async () => {
  const { send, id, path, defaultId } = await createOwner();
  const { data: terminal } = (await send('POST', TERMINALS, { ...account, project_id: id })).body;
  await send('DELETE', `${TERMINALS}/${terminal.id}`);
  expect((await send('DELETE', path)).body.ok).toBe(true);
  expect(await server.query('select project_id from terminals where id = $1', [terminal.id])).toEqual([
    { project_id: defaultId },
  ]);
});

test('a project that is deleted while others put terminals into it keeps them, or they are refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const { send, id, path, defaultId } = await createOwner();
    const { data: terminal } = (await send('POST', TERMINALS, account)).body;
    const answers = await Promise.all([
      send('POST', TERMINALS, { ...account, project_id: id }),
      send('DELETE', path),
      send('PATCH', `${TERMINALS}/${terminal.id}`, { project_id: id }),
      send('PATCH', '/v1/my/account/profile', { default_project_id: id }),
    ]);
    const [created, deleted, moved, chosen] = answers;
    for (const { status, bytes } of answers) expect([200, 422], bytes.toString()).toContain(status);
    if (deleted.body.ok) for (const { status } of [created, moved, chosen]) expect(status).toBe(422);
    else expect([created, moved, chosen].some(({ status }) => status === 200)).toBe(true);
    await send('PATCH', '/v1/my/account/profile', { default_project_id: defaultId });
  }
});
