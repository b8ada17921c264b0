import { randomUUID } from 'node:crypto';
import { TerminalStatus } from '@berth/contract';
import { useTestServer } from '@berth/testing';
import { expect, it, test } from 'vitest';

const server = useTestServer({ config: { defaultPlatform: 'sandbox' } });

const TERMINALS = '/v1/my/trading/terminals';

const createOwner = async () => {
  const { token } = await server.register('Owner');
  const account = { server_name: 'Demo', login: '1', password: 'x', region: 0 };
  const send = (method: string, path: string, body?: unknown) => server.request(method, path, { token, body });
  const { id } = (await send('POST', TERMINALS, account)).body.data as { id: string };
  const path = `${TERMINALS}/${id}`;
  return { token, id, path, send, read: async () => (await send('GET', path)).body.data };
};

it('PATCH of a terminal renames it and moves it to another project, and answers it whole', async () => {
  const { send, path, read } = await createOwner();
  const project = (await send('POST', '/v1/my/projects', { name: 'Gold' })).body.data;
  const before = await read();
  const { status, body } = await send('PATCH', path, { name: '  London desk ', project_id: project.id });
  expect(status).toBe(200);
  expect(body).toMatchObject({ ok: true, msg: 'Terminal updated successfully.', data: await read() });
  expect(body.data).toEqual({
    ...before,
    name: 'London desk',
    project_id: project.id,
    updated_at: body.data.updated_at,
    screenshot_every_minutes: null,
    tags: [],
    notes: null,
    external_id: null,
  });
  expect(body.data.updated_at > before.updated_at).toBe(true);
  expect((await send('GET', `${TERMINALS}?search=london&project_id=${project.id}`)).body.data).toHaveLength(1);
});

it('PATCH of a terminal changes only what is named', async () => {
  const { send, path, read } = await createOwner();
  const before = await read();
  await send('PATCH', path, { name: 'Paris' });
  await send('PATCH', path, { unknown: 1 });
  expect(await read()).toMatchObject({ name: 'Paris', project_id: before.project_id, login: before.login });
});

it.each([
  [{ name: null }, { name: ['The name field must be a string.'] }],
  [{ name: ' ' }, { name: ['The name field must be a string.'] }],
  [{ name: 7 }, { name: ['The name field must be a string.'] }],
  [{ name: 'a'.repeat(256) }, { name: ['The name field must not be greater than 255 characters.'] }],
  [{ name: 'two\nlines' }, { name: ['The name field must not contain control characters.'] }],
  [{ project_id: null }, { project_id: ['The project id field must be a string.'] }],
  [{ project_id: 'none' }, { project_id: ['The selected project id is invalid.'] }],
  [{ name: 'Kept', project_id: randomUUID() }, { project_id: ['The selected project id is invalid.'] }],
])('PATCH of a terminal refuses %j and changes nothing', async (body, errors) => {
  const { send, path, read } = await createOwner();
  const before = await read();
  const answer = await send('PATCH', path, body);
  expect([answer.status, answer.body.errors]).toEqual([422, errors]);
  expect(await read()).toEqual(before);
});

it('PATCH of a terminal does not find projects of others', async () => {
  const owner = await createOwner();
  const stranger = await createOwner();
  const { project_id: foreign } = await stranger.read();
  const moved = await owner.send('PATCH', owner.path, { project_id: foreign });
  expect([moved.status, Object.keys(moved.body.errors)]).toEqual([422, ['project_id']]);
});

it('PATCH of a terminal does not find a destroyed terminal', async () => {
  const { id, send, path } = await createOwner();
  await server.query(`update terminals set status = ${TerminalStatus.DESTROYED}, deleted_at = now() where id = $1`, [
    id,
  ]);
  expect((await send('PATCH', path, { name: 'Late' })).status).toBe(404);
});

test('a project is renamed, described and described no longer', async () => {
  const { send } = await createOwner();
  const { data: project } = (await send('POST', '/v1/my/projects', { name: 'Gold', description: 'on gold' })).body;
  const path = `/v1/my/projects/${project.id}`;
  const renamed = (await send('PATCH', path, { name: 'Silver' })).body;
  expect(renamed).toEqual({
    ok: true,
    msg: 'Project updated successfully.',
    data: { ...project, name: 'Silver', updated_at: expect.any(String) },
  });
  expect((await send('PATCH', path, { description: null })).body.data).toMatchObject({
    name: 'Silver',
    description: null,
  });
  expect((await send('PATCH', path, { description: 'again' })).body.data.description).toBe('again');
  expect((await send('PATCH', path, {})).body.data).toMatchObject({ name: 'Silver', description: 'again' });
});

test.each([
  [{ name: null }, ['name']],
  [{ name: 'a'.repeat(256) }, ['name']],
  [{ description: 7 }, ['description']],
  [{ description: 'a'.repeat(1001) }, ['description']],
])('a project refuses %j', async (body, fields) => {
  const { send } = await createOwner();
  const { id } = (await send('GET', '/v1/my/projects')).body.data[0];
  const answer = await send('PATCH', `/v1/my/projects/${id}`, body);
  expect([answer.status, Object.keys(answer.body.errors)]).toEqual([422, fields]);
});
