import type { UserEvent } from '@berth/contract';
import { createSignInCode, TestHost, toChart, toSample, waitFor, useTestServer } from '@berth/testing';
import { expect, it } from 'vitest';
import { createTerminals, enrolAlone, request } from './support/alert-scene.ts';

const server = useTestServer();

const listEvents = async (token: string, types: string): Promise<UserEvent[]> =>
  (await request(server, token, 'GET', `events/log?types=${types}`)).body.data as UserEvent[];

const createTerminal = async () => {
  const { user, token } = await server.register('Events');
  const host = await enrolAlone(server);
  const [id] = await createTerminals(server, token, ['One']);
  await host.installAll();
  return { user, token, host, id: id! };
};

/** The charts of the next report count: there is one a second. */
const sendCharts = async (host: TestHost, id: string, ...charts: Parameters<typeof toChart>[0][]): Promise<void> => {
  await waitFor(async () => !(await host.sendCharts(id, ...charts.map((one) => toChart(one)))));
};

it('the log of events has an expert that failed, once, and again when it failed anew', async () => {
  const { token, host, id } = await createTerminal();
  const line = "zero divide in 'Trend.mq5' (652,53)";
  const failed = { expert: { ...toChart().expert!, state: 'failed' as const, line } };
  await sendCharts(host, id, {}, { ...failed, chart_id: '2' });
  await sendCharts(host, id, { symbol: 'GBPUSD' }, { ...failed, chart_id: '2' });
  const events = await listEvents(token, 'expert.failed');
  const data = { chart_id: '2', name: 'Trend', symbol: 'EURUSD', period: 'H1', line };
  expect(events.map((event) => [event.terminal_id, event.data])).toEqual([[id, data]]);
  await sendCharts(host, id, {});
  await sendCharts(host, id, { ...failed, chart_id: '2' });
  expect(await listEvents(token, 'expert.failed')).toHaveLength(2);
  const stranger = await TestHost.enrol(server);
  await stranger.sendCharts(id);
  expect(await server.query('select 1 from failed_experts where terminal_id = $1', [id])).toHaveLength(1);
});

it('the log of events has a build that changed, and not the first one', async () => {
  const { token, host, id } = await createTerminal();
  await host.sendSamples(toSample(id, { build: 5000 }));
  await server.query(`update terminal_loads set sampled_at = now() - interval '1 hour' where terminal_id = $1`, [id]);
  await host.sendSamples(toSample(id, { build: 5100 }));
  const [event] = await waitFor(async () => {
    const events = await listEvents(token, 'terminal.updated');
    return events.length > 0 && events;
  });
  expect(event).toMatchObject({ terminal_id: id, data: { name: 'One', from: 5000, to: 5100 } });
});

it('the log of events has another account that a terminal is logged in to', async () => {
  const { token, host, id } = await createTerminal();
  const payload = { login: '77', password: 'another-password', server_name: 'Live' };
  await request(server, token, 'POST', `trading/terminals/${id}/tasks`, { type: 9, payload });
  const [task] = await host.claim();
  await host.complete(task!, { login: '77', server_name: 'Live', connected: true, ping_ms: 1 });
  expect((await listEvents(token, 'terminal.other_account')).map(({ data }) => data)).toEqual([
    { name: 'One', login: '77', server_name: 'Live' },
  ]);
});

it('the log of events has a sign-in from a browser that is new, with a password or by a link, and not the next ones', async () => {
  const { user, token } = await server.register('Signs in');
  const signIn = (agent: string) =>
    server.request('POST', '/v1/auth/login', {
      body: { email: user.email, password: user.password, session: true },
      headers: { 'user-agent': agent, origin: server.url },
    });
  const firefox = 'Mozilla/5.0 (X11; Linux x86_64; rv:130.0) Gecko/20100101 Firefox/130.0';
  const { status } = await signIn(firefox);
  expect(status).toBe(200);
  await signIn(firefox);
  const useLink = async (agent: string) => {
    const body = { code: await createSignInCode(server.services.db, user.id) };
    const headers = { 'user-agent': agent, origin: server.url };
    return server.request('POST', '/v1/auth/sign-in-link', { body, headers });
  };
  for (const agent of [firefox, firefox.replace('Linux x86_64', 'Windows NT 10.0')])
    expect((await useLink(agent)).status).toBe(200);
  expect((await listEvents(token, 'security.sign_in')).map(({ data }) => data)).toEqual([
    { address: '127.0.0.1', device: 'Firefox on Linux' },
    { address: '127.0.0.1', device: 'Firefox on Windows' },
  ]);
});
