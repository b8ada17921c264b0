import { TerminalStatus, type UserEvent } from '@berth/contract';
import { startTestServer, toAccountState, toStep, waitFor, LOOPBACK, useTestServer } from '@berth/testing';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  createScene,
  createTerminals,
  listAlerts,
  listRules,
  pass,
  report,
  request,
  settle,
  taken,
  titlesOf,
  toldTo,
} from './support/alert-scene.ts';
import { startChat, type Chat } from './support/chats.ts';

const { ACTIVE, DISCONNECTED, LOGIN_FAILED } = TerminalStatus;

const server = useTestServer({ config: { outbound: LOOPBACK, publicUrl: 'https://berth.example' } });
let chat: Chat;
beforeEach(async () => {
  chat = await startChat(taken);
});
afterEach(() => chat.close());

const notificationsOf = async (token: string): Promise<string[]> => {
  const { body } = await request(server, token, 'GET', 'account/notifications?per_page=100');
  return (body.data as { type: string }[]).map(({ type }) => type.replace('App\\Notifications\\', ''));
};

it('an alert tells that a terminal is down, reminds, and tells that it is over: one alert, each once', async () => {
  const scene = await createScene(server, chat, {
    ...{ when: 'terminal_down', for_minutes: 5, remind_every_minutes: 30, names: ['Gold <b>*1*</b>'] },
  });
  const { user, token, host, ids } = scene;
  await report(host, ids, DISCONNECTED, 'No connection to the broker');
  await settle(server, user.id);
  expect(await listAlerts(server, token)).toEqual([]);
  await pass(server, user.id, 5);
  await waitFor(() => chat.received.length === 1);
  const [told] = toldTo(chat);
  expect(told).toMatchObject({ title: 'Terminal Gold <b>*1*</b> is down' });
  expect(told!.message).toContain('Reason: No connection to the broker\n');
  const [alert] = await waitFor(async () => {
    const alerts = await listAlerts(server, token);
    return alerts[0]?.messages[0]?.ok === true && alerts;
  });
  expect(alert).toMatchObject({
    rule_id: scene.rule.id,
    when: 'terminal_down',
    subject: { terminals: 1, with_positions: null, terminal_ids: ids, names: ['Gold <b>*1*</b>'] },
    acknowledged_at: null,
    resolved_at: null,
    messages: [{ channel_id: scene.channel.id, kind: 'opened', ok: true, error: null }],
  });
  await pass(server, user.id, 31);
  await waitFor(() => chat.received.length === 2);
  await report(host, ids, ACTIVE);
  await settle(server, user.id);
  await pass(server, user.id, 6);
  await waitFor(() => chat.received.length === 3);
  expect(titlesOf(chat)).toEqual([told!.title, `Still: ${told!.title}`, `Over: ${told!.title}`]);
  expect((await listAlerts(server, token)).map(({ resolved_at }) => resolved_at !== null)).toEqual([true]);
  const { body } = await request(server, token, 'GET', 'events/log?types=alert.*');
  expect((body.data as UserEvent[]).map(({ type, data }) => [type, (data as { alert_id: string }).alert_id])).toEqual([
    ['alert.opened', alert!.id],
    ['alert.resolved', alert!.id],
  ]);
  expect(await notificationsOf(token)).toEqual(expect.arrayContaining(['AlertOpened', 'AlertResolved']));
});

it('an alert is one message for all terminals that a host says are down', async () => {
  const names = Array.from({ length: 12 }, (_, index) => `T${index}`);
  const { user, token, ids, host } = await createScene(server, chat, { when: 'terminal_down', names });
  const accounts = ids.slice(0, 3).map((terminal_id, index) => ({
    ...{ terminal_id, login: String(index + 1), server: 'Demo' },
    state: toAccountState({ positions_total: index }),
  }));
  await host.sendAccounts(...accounts);
  await report(host, ids, DISCONNECTED);
  await waitFor(() => chat.received.length === 1);
  await settle(server, user.id);
  expect(toldTo(chat)).toEqual([expect.objectContaining({ title: '12 terminals are down' })]);
  expect(toldTo(chat)[0]!.message).toMatch(/^Terminals: (T\d+, ){4}T\d+ and 7 more\n/);
  expect(toldTo(chat)[0]!.message).toContain('\nWith open positions: 2\n');
  expect(await listAlerts(server, token)).toMatchObject([
    { subject: { terminals: 12, with_positions: 2, host: `host of ${user.email}` } },
  ]);
});

it('an alert is one message for fifty terminals of a host that is silent, and one when it is back', async () => {
  const names = Array.from({ length: 50 }, (_, index) => `T${index}`);
  const { user, host, token, rule, channel } = await createScene(server, chat, { when: 'host_lost', names });
  const down = { ...{ name: 'Down', when: 'terminal_down', for_minutes: 0 }, channel_ids: [channel.id] };
  await request(server, token, 'POST', 'alert-rules', down);
  await server.query(`update hosts set last_seen_at = now() - interval '1 hour' where id = $1`, [host.id]);
  await server.query(`update scheduler set downtime_ended_at = '1970-01-01'`);
  // By each of the two rules.
  await waitFor(() => chat.received.length === 2);
  expect(titlesOf(chat).sort()).toEqual(['50 terminals are down', `Host host of ${user.email} is offline`]);
  for (const { message } of toldTo(chat)) expect(message).toMatch(/^Terminals: (T\d+, ){4}T\d+ and 45 more\n/);
  expect((await listAlerts(server, token)).map(({ subject }) => subject.terminals)).toEqual([50, 50]);
  await host.heartbeat();
  await settle(server, user.id);
  await pass(server, user.id, 1);
  await waitFor(() => titlesOf(chat).includes(`Over: Host host of ${user.email} is offline`));
  expect((await listAlerts(server, token)).find(({ rule_id }) => rule_id === rule.id)?.resolved_at).not.toBeNull();
  const { body } = await request(server, token, 'GET', 'events/log?types=host.*');
  expect((body.data as UserEvent[]).map(({ type }) => type)).toEqual(['host.lost', 'host.back']);
});

it('an alert is acknowledged by the button behind its link, and not by opening it', async () => {
  const { user, token, host, ids } = await createScene(server, chat, {
    when: 'login_failed',
    remind_every_minutes: 5,
  });
  await report(host, ids, LOGIN_FAILED, 'Invalid account');
  await waitFor(() => chat.received.length === 1);
  const { pathname } = new URL(toldTo(chat)[0]!.actions![0]!.url);
  const page = await server.request('GET', pathname, {});
  expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  expect(page.bytes.toString()).toContain('Terminal One cannot log in');
  const isAcknowledged = async () => (await listAlerts(server, token))[0]!.acknowledged_at !== null;
  expect(await isAcknowledged()).toBe(false);
  const altered = pathname.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'));
  expect((await server.request('POST', altered, {})).status).toBe(404);
  expect((await server.request('POST', pathname, {})).status).toBe(200);
  expect(await isAcknowledged()).toBe(true);
  const again = await server.request('GET', pathname, {});
  expect(again.bytes.toString()).not.toContain('<form');
  await pass(server, user.id, 6);
  await settle(server, user.id);
  expect(await server.query(`select kind from alert_messages where user_id = $1`, [user.id])).toHaveLength(1);
});

it('an alert is acknowledged by its user, and found by no other', async () => {
  const { token, host, ids } = await createScene(server, chat, { when: 'login_failed' });
  await report(host, ids, LOGIN_FAILED);
  const [alert] = await waitFor(async () => {
    const alerts = await listAlerts(server, token);
    return alerts.length > 0 && alerts;
  });
  const eve = await server.register('Eve');
  expect((await request(server, eve.token, 'POST', `alerts/${alert!.id}/acknowledge`)).status).toBe(404);
  const first = await request(server, token, 'POST', `alerts/${alert!.id}/acknowledge`);
  const again = await request(server, token, 'POST', `alerts/${alert!.id}/acknowledge`);
  expect(again.body.data.acknowledged_at).toBe(first.body.data.acknowledged_at);
  expect((await request(server, token, 'GET', 'alerts?status=resolved')).body.data).toEqual([]);
  expect((await request(server, token, 'GET', 'alerts?status=open')).body.data).toHaveLength(1);
});

it('an alert tells of trading that somebody else switched off, and not of what a task did', async () => {
  const names = ['Mine', 'Others'];
  const { user, token, host, ids } = await createScene(server, chat, { when: 'trading_off', names });
  const say = (id: string, allowed: boolean) =>
    host.report({
      ...{ kind: 'terminal', terminal_id: id, status: ACTIVE, trading_allowed: allowed },
      trading_reason: allowed ? null : 'terminal_switch',
    });
  await say(ids[0]!, true);
  await say(ids[1]!, true);
  await request(server, token, 'POST', `trading/terminals/${ids[0]}/tasks`, {
    type: 12,
    payload: { allow_algo_trading: 0 },
  });
  const [task] = await host.claim();
  await host.report({ kind: 'started', task_id: task!.id, fence: task!.fence });
  // The host sees it before its task ends.
  await say(ids[0]!, false);
  await settle(server, user.id);
  await say(ids[1]!, false);
  await waitFor(() => chat.received.length === 1);
  expect(await listAlerts(server, token)).toMatchObject([
    { subject: { terminals: 1, names: ['Others'], reason: 'terminal_switch' } },
  ]);
  await say(ids[1]!, true);
  await settle(server, user.id);
  await pass(server, user.id, 1);
  await waitFor(() => chat.received.length === 2);
});

it('an alert tells of a task that failed, once an hour for each terminal', async () => {
  const { user, token, host, ids } = await createScene(server, chat, { when: 'task_failed' });
  for (let count = 0; count < 2; count += 1) {
    await request(server, token, 'POST', `trading/terminals/${ids[0]}/tasks`, { type: 14, payload: {} });
    const [task] = await host.claim();
    const about = { task_id: task!.id, fence: task!.fence };
    const steps = [toStep({ ok: false, code: 'E_FILE', message: 'no' })];
    await host.report({ kind: 'started', ...about }, { kind: 'failed', ...about, steps } as never);
    await settle(server, user.id);
  }
  await waitFor(() => chat.received.length === 1);
  expect(toldTo(chat)[0]).toMatchObject({ title: 'A task failed on terminal One' });
  expect(await listAlerts(server, token)).toHaveLength(1);
});

it('an alert tells of a broken risk rule by the name of its event, whoever writes it', async () => {
  const { user, ids } = await createScene(server, chat, { when: 'risk_breached' });
  await server.query(
    `insert into events (user_id, type, terminal_id, data) values ($1, 'risk.breached', $2, '{"kind":"daily_loss"}')`,
    [user.id, ids[0]],
  );
  await waitFor(() => chat.received.length === 1);
  expect(toldTo(chat)[0]).toMatchObject({ title: 'Terminal One broke a risk rule' });
});

it('an alert ends without a word when its rule is changed, disabled or deleted', async () => {
  const { user, token, host, ids, rule } = await createScene(server, chat, { when: 'login_failed' });
  await report(host, ids, LOGIN_FAILED);
  await waitFor(() => chat.received.length === 1);
  const disabled = await request(server, token, 'PATCH', `alert-rules/${rule.id}`, { enabled: false });
  expect(disabled.body.data).toMatchObject({ enabled: false });
  expect((await listAlerts(server, token))[0]!.resolved_at).not.toBeNull();
  await report(host, ids, ACTIVE);
  await request(server, token, 'DELETE', `alert-rules/${rule.id}`);
  await settle(server, user.id);
  expect(await listAlerts(server, token)).toMatchObject([{ rule_id: null, rule_name: 'Rule' }]);
  expect(chat.received).toHaveLength(1);
});

it('an alert that is over is listed by when it was over, whenever it began', async () => {
  const { user, token, rule } = await createScene(server, chat, { when: 'login_failed' });
  await server.query(
    `insert into alerts (id, user_id, rule_id, rule_name, "when", subject, opened_at, resolved_at, tells_at, told_at)
       select gen_random_uuid(), $1, $2, name, 'login_failed', 
         '{"terminals": 1, "with_positions": null, "host": null, "terminal_ids": [], "names": [], "reason": null}',
         now() - interval '80 days', over, now(), now()
       from (values ('long', now() - interval '1 day'), ('old', now() - interval '31 days'), ('open', null)) as a (name, over)`,
    [user.id, rule.id],
  );
  const since = new Date(Date.now() - 30 * 86_400_000).toISOString();
  const list = async (query: string): Promise<string[]> => {
    const { body } = await request(server, token, 'GET', `alerts?${query}`);
    return (body.data as { rule_name: string }[]).map(({ rule_name: name }) => name).sort();
  };
  expect(await list(`resolved_since=${since}`)).toEqual(['long']);
  expect(await list(`status=resolved&resolved_since=${since}&rule_id=${rule.id}`)).toEqual(['long']);
  expect(await list(`status=open&resolved_since=${since}`)).toEqual([]);
  expect(await list('status=resolved')).toEqual(['long', 'old']);
  const refused = await request(server, token, 'GET', 'alerts?resolved_since=yesterday');
  expect([refused.status, Object.keys(refused.body.errors as object)]).toEqual([422, ['resolved_since']]);
});

it('rules exist from the first terminal on, once, and look only at their user', async () => {
  const { token, user } = await server.register('New');
  await createTerminals(server, token, ['First']);
  const rules = await waitFor(async () => {
    const found = await listRules(server, token);
    return found.length > 0 && found;
  });
  expect(rules.map(({ when, for_minutes, channel_ids }) => [when, for_minutes, channel_ids])).toEqual([
    ['terminal_down', 5, []],
    ['login_failed', 0, []],
    ['trading_off', 0, []],
  ]);
  await request(server, token, 'DELETE', `alert-rules/${rules[0]!.id}`);
  await createTerminals(server, token, ['Second']);
  await settle(server, user.id);
  expect(await listRules(server, token)).toHaveLength(2);
});

it.each([
  ['a typo', { for_minuts: 5 }, 'for_minuts'],
  ['an empty list of terminals', { terminal_ids: [] }, 'terminal_ids'],
  ['a terminal of somebody else', { terminal_ids: ['0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10'] }, 'terminal_ids.0'],
  ['a channel of somebody else', { channel_ids: ['0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10'] }, 'channel_ids.0'],
  ['a project of somebody else', { project_id: '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10' }, 'project_id'],
  [
    'a zone that is none',
    { quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars/Base' } },
    'quiet_hours.time_zone',
  ],
  ['quiet hours without an end', { quiet_hours: { from: '22:00', to: '22:00', time_zone: 'UTC' } }, 'quiet_hours.to'],
  ['minutes of a moment', { when: 'task_failed', for_minutes: 1 }, 'for_minutes'],
])('rules refuse %s', async (_, wrong, field) => {
  const { token } = await server.register('Rules');
  const { status, body } = await request(server, token, 'POST', 'alert-rules', {
    name: 'x',
    when: 'login_failed',
    ...wrong,
  });
  expect([status, Object.keys((body.errors ?? {}) as object)]).toEqual([422, [field]]);
  expect(await listRules(server, token)).toEqual([]);
});

it('a rule counts from its creation on, also where the first look at it comes later', async () => {
  const blind = await startTestServer({ without: ['alerts'] });
  const { user, token } = await blind.register('Early');
  const newest = async () => (await blind.query('select max(id) as id from events'))[0]?.id as number | null;
  const before = (await newest()) ?? 0;
  const rule = { name: 'Failed', when: 'task_failed' };
  expect((await request(blind, token, 'POST', 'alert-rules', rule)).status).toBe(200);
  const [reader] = await blind.query('select position::int as position from alert_readers where user_id = $1', [
    user.id,
  ]);
  expect(reader).toEqual({ position: before });
  await blind.close();
});
