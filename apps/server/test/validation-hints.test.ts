/** The header of a 422: what to do next, where the text of a field is fixed and does not say it. */
import { randomUUID } from 'node:crypto';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let token: string;
let tasks: string;
beforeAll(async () => {
  ({ token } = await server.register('Ada'));
  await TestHost.enrol(server);
  const body = { server_name: 'Harbour-Demo', login: '5001', password: 'trade-me', region: 0 };
  const { body: created } = await server.request('POST', '/v1/my/trading/terminals', { token, body });
  tasks = `/v1/my/trading/terminals/${created.data.id}/tasks`;
});

const terminal = { server_name: 'Harbour-Demo', login: '5002', password: 'trade-me' };

it.each<[string, string, string, object, string]>([
  ['the regions', 'POST', '/v1/my/trading/terminals', { ...terminal, region: 77 }, '/v1/my/trading/terminals/regions'],
  ['the projects', 'POST', '/v1/my/trading/terminals', { ...terminal, project_id: randomUUID() }, '/v1/my/projects'],
  ['the platforms', 'POST', '/v1/my/trading/terminals', { ...terminal, region: 0, platform: 'mt9' }, 'offer: sandbox.'],
  [
    'the abilities',
    'POST',
    '/v1/my/account/tokens',
    { name: 'x', abilities: ['x'] },
    'Choose read, write, delete or risk.',
  ],
  ['another way in', 'POST', '/v1/auth/login', { email: 'a@example.com', password: 'x' }, '/v1/auth/forgot-password'],
  ['the general rule', 'POST', '/v1/my/projects', {}, 'Change what `errors` names.'],
])('the hint names %s', async (_what, method, path, body, words) => {
  const answer = await server.request(method, path, { token, body });
  expect([answer.status, answer.headers.get('x-error-hint')]).toEqual([422, expect.stringContaining(words)]);
});

it('the hint names the numbers of types, and where a file comes from', async () => {
  const payload = { name: 'Trend', file_id: randomUUID(), symbol: 'EURUSD', period: 'M15' };
  const [type, file] = await Promise.all(
    [{ type: 99 }, { type: 2, payload }].map((body) => server.request('POST', tasks, { token, body })),
  );
  expect(type!.headers.get('x-error-hint')).toContain('Choose a number of the table of types');
  expect(file!.headers.get('x-error-hint')).toContain('POST /v1/my/files');
});

it('the hint names the form of a list of statuses', async () => {
  const answer = await server.request('GET', '/v1/my/trading/terminals?status=new', { token });
  expect([answer.status, answer.headers.get('x-error-hint')]).toEqual([
    422,
    'Give numbers or names, comma-separated: 3 or 0,1,2 or failed.',
  ]);
});

it('the hint never has what was sent, however it is named', async () => {
  const body = { name: 'x', abilities: ['\u{1F600}\r\nX-Evil: 1', 'write\u0000'] };
  const answer = await server.request('POST', '/v1/my/account/tokens', { token, body });
  expect(answer.status).toBe(422);
  expect(answer.headers.get('x-error-hint')).toBe('Choose read, write, delete or risk.');
  expect(answer.headers.get('x-evil')).toBeNull();
});
