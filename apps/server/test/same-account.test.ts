import { TaskType, TerminalStatus } from '@berth/contract';
import { TestHost, useTestServer } from '@berth/testing';
import { beforeAll, expect, test } from 'vitest';
import { sql } from '../src/db/database.ts';

const server = useTestServer();
let host: TestHost;
beforeAll(async () => {
  host = await TestHost.enrol(server, { capacity: 1000 });
});

const terminals = '/v1/my/trading/terminals';
const create = async (token: string, changes: object = {}, include = '') => {
  const body = { server_name: 'Harbour-Demo', login: '77', password: 'p', region: 0, ...changes };
  return (await server.request('POST', `${terminals}${include}`, { token, body })).body as {
    ok: boolean;
    msg: string;
    data: { id: string; login: string };
    warnings?: string[];
  };
};
const WITH_WARNINGS = '?include=warnings';
const PLAIN = 'The terminal is being deployed.';

test('a second terminal on the same account is created, and the answer names the first one', async () => {
  const { token } = await server.register('Twin');
  const { data: first, msg, ...rest } = await create(token, { name: 'Harbour one' });
  expect([msg, rest]).toEqual([PLAIN, { ok: true }]);
  const second = await create(token, { server_name: 'HARBOUR-demo' }, WITH_WARNINGS);
  expect(second.ok).toBe(true);
  const named = `Your terminal "Harbour one" (${first.id}) uses the same account`;
  expect(second.msg).toBe(`${PLAIN} ${named}: experts on both would trade twice.`);
  expect(second.warnings).toEqual([`${named}: experts on both would trade twice.`]);
  const third = await create(token);
  expect(third.msg).toBe(`${PLAIN} ${named}, as do others: experts on both would trade twice.`);
  expect(third.warnings).toBeUndefined();
});

test('one of two terminals that are created at once on the same account hears of the other', async () => {
  const { token } = await server.register('Simultaneous');
  const answers = await Promise.all([create(token), create(token)]);
  expect(answers.filter(({ msg }) => msg === PLAIN)).toHaveLength(1);
  const [warned] = answers.filter(({ msg }) => msg !== PLAIN);
  const [plain] = answers.filter(({ msg }) => msg === PLAIN);
  expect(warned!.msg).toContain(plain!.data.id);
});

test.each([
  ['leading zeros', { login: '0077' }],
  ['the server in other letters', { server_name: 'HARBOUR-demo' }],
  ['the server by its address', { server_name: 'trade.harbour.example:443' }],
  ['leading zeros, and the server by its address', { server_name: '192.0.2.7:443', login: '077' }],
])(
  'a second terminal on the same account is noticed with %s, whichever of the two comes first, also in an import',
  async (_, changes) => {
    for (const order of [
      [{}, changes],
      [changes, {}],
    ]) {
      const { token } = await server.register('Speller');
      const { data } = await create(token, { name: 'One', ...order[0] });
      const warning = `Your terminal "One" (${data.id}) uses the same account: experts on both would trade twice.`;
      const item = { server_name: 'Harbour-Demo', login: '77', password: 'p', region: 0, ...order[1] };
      const body = { items: [item], dry_run: true };
      const imported = await server.request('POST', `${terminals}/bulk`, { token, body });
      expect(imported.body.data[0].warnings).toEqual([warning]);
      expect((await create(token, order[1])).msg).toBe(`${PLAIN} ${warning}`);
    }
  },
);

test('a second terminal on the same account is no news for another login, another server, another user, or a terminal that is gone', async () => {
  const { token } = await server.register('Single');
  const { data } = await create(token);
  expect((await create(token, { login: '78' })).msg).toBe(PLAIN);
  expect((await create(token, { server_name: 'Other-Demo' })).msg).toBe(PLAIN);
  expect((await create(token, { login: '770' })).msg).toBe(PLAIN);
  expect((await create(token, { login: '79', server_name: 'other.example:443' })).msg).toBe(PLAIN);
  expect((await create((await server.register('Neighbour')).token)).msg).toBe(PLAIN);
  await server.services.db.slow.query(
    sql('', `update terminals set status = ${TerminalStatus.DESTROYING} where id = $1`),
    [data.id],
  );
  expect((await create(token)).msg).toBe(PLAIN);
});

const logIn = async (token: string, id: string, payload: object, key?: string) =>
  (
    await server.request('POST', `${terminals}/${id}/tasks`, {
      token,
      body: { type: TaskType.ACCOUNT_LOGIN, payload },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    })
  ).body.msg as string;

test('an ACCOUNT_LOGIN to the account of another terminal is carried out, and the answer names that one', async () => {
  const { token } = await server.register('Switcher');
  const { data: one } = await create(token, { name: 'One' });
  const { data: two } = await create(token, { login: '78' });
  await host.installAll();
  const plain = 'Task created successfully.';
  const warned = `${plain} Your terminal "One" (${one.id}) uses the same account: experts on both would trade twice.`;
  expect(await logIn(token, two.id, { login: '77', password: 'p' })).toBe(warned);
  expect(await logIn(token, two.id, { login: '77', password: 'p', server_name: 'harbour-DEMO' }, 'k')).toBe(warned);
  expect(await logIn(token, two.id, { login: '0077', password: 'p', server_name: '192.0.2.7:443' })).toBe(warned);
  expect(await logIn(token, two.id, { login: '79', password: 'p' })).toBe(plain);
  expect(await logIn(token, two.id, { login: '77', password: 'p', server_name: 'Other' })).toBe(plain);
  // To the account that it has, nothing changes.
  expect(await logIn(token, one.id, {})).toBe(plain);
  expect(await logIn(token, one.id, { login: '77', password: 'p' })).toBe(plain);
});

test('an ACCOUNT_LOGIN of many terminals warns of each, also of those that come to one account together', async () => {
  const { token } = await server.register('Mover');
  const one = await create(token, { name: 'One' });
  const two = await create(token, { name: 'Two', server_name: 'Quay-Demo' });
  const other = await create(token, { login: '78' });
  await host.installAll();
  const body = { all: true, type: TaskType.ACCOUNT_LOGIN, payload: { server_name: 'Bay-Demo', password: 'p' } };
  const { data } = (await server.request('POST', `${terminals}/bulk/tasks${WITH_WARNINGS}`, { token, body })).body;
  const toWarning = (name: string, id: string) =>
    `Your terminal "${name}" (${id}) uses the same account: experts on both would trade twice.`;
  expect(
    data.map(({ terminal_id, warnings }: { terminal_id: string; warnings: string[] }) => [terminal_id, warnings]),
  ).toEqual([
    [one.data.id, [toWarning('Two', two.data.id)]],
    [two.data.id, [toWarning('One', one.data.id)]],
    [other.data.id, []],
  ]);
  expect(data[0].msg).toBe(`Task created successfully. ${data[0].warnings[0]}`);
});
