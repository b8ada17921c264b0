/** What an operator sees of the terminals on a host. */
import { TerminalStatus } from '@berth/contract';
import { TestHost, useTestServer, type TestServer } from '@berth/testing';
import { beforeAll, expect, it } from 'vitest';

const server = useTestServer();
let host: TestHost;
let operator: Awaited<ReturnType<TestServer['registerOperator']>>;
beforeAll(async () => {
  host = await TestHost.enrol(server);
  operator = await server.registerOperator();
});

const toPath = (hostId: string): string => `/v1/operator/hosts/${hostId}/terminals`;

const createTerminal = (token: string, name: string): Promise<string> => server.createTerminal(token, { name });

it('an operator sees each terminal of a host and whose it is, by pages, and names of the own ones alone', async () => {
  const { token, user } = await server.register('Trader');
  const [own, others, gone] = [
    await createTerminal(operator.token, 'Own money'),
    await createTerminal(token, 'My secret plan'),
    await createTerminal(token, 'Destroyed'),
  ];
  await server.query(`update terminals set deleted_at = now() where id = $1`, [gone]);
  const elsewhere = await TestHost.enrol(server, { name: 'elsewhere', region: 1 });
  const { status, body, bytes } = await server.request('GET', toPath(host.id), { token: operator.token });
  const known = { platform: 'sandbox', status: TerminalStatus.PENDING, status_name: 'PENDING', left_because: null };
  const status_changed_at = expect.any(String) as string;
  expect([status, body.data]).toEqual([
    200,
    [
      {
        id: own,
        name: 'Own money',
        owner: { id: operator.user.id, name: 'Operator', email: operator.user.email },
        ...known,
        status_changed_at,
      },
      {
        id: others,
        name: null,
        owner: { id: user.id, name: 'Trader', email: user.email },
        ...known,
        status_changed_at,
      },
    ],
  ]);
  expect(bytes.toString()).not.toContain('secret');
  const second = await server.request('GET', `${toPath(host.id)}?per_page=1&page=2`, { token: operator.token });
  expect(second.body).toMatchObject({
    data: [{ id: others }],
    pagination: { total: 2, current_page: 2, last_page: 2 },
  });
  expect((await server.request('GET', toPath(elsewhere.id), { token: operator.token })).body.data).toEqual([]);
});
