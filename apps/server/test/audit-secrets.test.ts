/** No secret comes into the audit log by any route, and what the server does by itself has rows of its own. */
import { TaskType } from '@berth/contract';
import { LOOPBACK, startWebhookReceiver, TEST_PASSWORD, TestHost, waitFor } from '@berth/testing';
import { expect, it } from 'vitest';
import { issueJoinToken } from '../src/hosts/join-tokens.ts';
import { endLocks } from '../src/risk/lock-ends.ts';
import { toLocked, useRiskScene } from './support/risk-scene.ts';

const scene = useRiskScene({ config: { secretKey: 'a1'.repeat(32), outbound: LOOPBACK }, without: ['ends of locks'] });
const { server, who, send, request, createTerminal, createRule, lock } = scene;

const readRows = () => server.query('select * from audit_log order by id');
const listSystem = async (action: string) =>
  (await readRows()).filter((row) => row.action === action && row.actor_kind === 'system');

it('a rule that acts, a lock that ends by itself and a webhook that is disabled have rows of the server, one each', async () => {
  const terminal = await createTerminal();
  const settings = { lock_until: 'next_day', time_zone: 'Europe/Prague' };
  const { id: ruleId } = await createRule(terminal, ['close_all', 'lock'], settings);
  const breach = await lock(terminal, ruleId);
  await scene.report({ breaches: [{ ...breach, actions: toLocked(), has_ended: true }] });
  expect(await listSystem('risk_rule.act')).toMatchObject([
    { target_id: terminal, user_id: who.id, address: null, after: { rule_id: ruleId, rule_name: 'Daily loss' } },
  ]);
  await server.query(`update terminals set lock_ends_at = now() - interval '1 hour' where id = $1`, [terminal]);
  const { db, log } = server.services;
  for (let round = 0; round < 2; round += 1) await endLocks({ db, log, stopping: new AbortController().signal });
  expect(await listSystem('terminal.unlock')).toMatchObject([{ target_id: terminal, user_id: who.id }]);

  const receiver = await startWebhookReceiver();
  try {
    receiver.answer = () => ({ status: 410 });
    const { id } = await request<{ id: string }>('POST', 'webhooks', { url: receiver.url, events: ['*'] });
    await send('POST', `webhooks/${id}/test`);
    const rows = await waitFor(async () => {
      const found = await listSystem('webhook.disable');
      return found.length > 0 && found;
    });
    expect(rows).toMatchObject([{ target_id: id, user_id: who.id }]);
  } finally {
    await receiver.close();
  }
});

it('a host that is enrolled has a row of the server with its address and its token by the id, and a refused token has none', async () => {
  const { joinToken } = await issueJoinToken(server.services.db, { region: 0, name: 'attic', capacity: 1 });
  const { id } = await TestHost.join(server, joinToken);
  expect((await TestHost.join(server, joinToken)).id).toBeUndefined();
  const rows = (await listSystem('host.enrol')).filter(({ after }) => after.name === 'attic');
  expect(rows).toMatchObject([{ target_id: id, user_id: null, address: '127.0.0.1' }]);
  const [tokenId, secret] = joinToken.split('|');
  expect(rows[0]!.after).toMatchObject({ region: 0, join_token_id: tokenId });
  expect(JSON.stringify(rows)).not.toContain(secret);
});

it('no password, token, code or secret of a webhook or channel comes into the audit log, only that it changed', async () => {
  const operator = await server.registerOperator();
  const secrets: string[] = [TEST_PASSWORD, who.token.split('|')[1]!];
  const plant = (name: string): string => {
    secrets.push(`planted-${name}-secret`);
    return secrets.at(-1)!;
  };
  /** Also what an answer shows once. */
  const call = async (method: string, path: string, body?: object, token = who.token): Promise<any> => {
    const answer = await server.request(method, path, { token, ...(body ? { body } : {}) });
    expect([path, answer.status, answer.body.errors]).toEqual([path, 200, undefined]);
    for (const [text] of JSON.stringify(answer.body).matchAll(/\b(?:whsec_)?[\w+/]{40,}=*/g)) secrets.push(text);
    return answer.body.data;
  };
  const my = (method: string, path: string, body?: object) => call(method, `/v1/my/${path}`, body);

  const hook = await my('POST', 'webhooks', { url: `https://example.com/${plant('path')}?k=1`, events: ['*'] });
  await my('PATCH', `webhooks/${hook.id}`, { url: `https://example.com/${plant('new-path')}` });
  await my('POST', `webhooks/${hook.id}/rotate-secret`);
  await my('DELETE', `webhooks/${hook.id}`);
  const telegram = { bot_token: `123456:${plant('bot').replaceAll('-', '_').padEnd(35, 'x')}`, chat_id: '1' };
  secrets.push(telegram.bot_token);
  const discord = { webhook_url: `https://discord.com/api/webhooks/1/${plant('discord')}` };
  const ntfy = { topic: 'mine', token: plant('ntfy') };
  for (const [kind, settings] of Object.entries({ telegram, discord, ntfy })) {
    const channel = await my('POST', 'alert-channels', { kind, name: kind, settings });
    const changed = kind === 'ntfy' ? { token: plant('ntfy-2') } : settings;
    await my('PATCH', `alert-channels/${channel.id}`, { name: 'other', settings: changed });
    await my('DELETE', `alert-channels/${channel.id}`);
  }
  const order = { server_name: 'Demo', login: '5', region: 0, platform: 'sandbox' };
  const terminal = await my('POST', 'trading/terminals', { ...order, password: plant('terminal') });
  await my('POST', 'trading/terminals/bulk', { items: [{ ...order, login: '6', password: plant('import') }] });
  const login = { server_name: 'Demo', login: '5', password: plant('task') };
  await my('POST', `trading/terminals/${terminal.id}/tasks`, { type: TaskType.ACCOUNT_LOGIN, payload: login });
  const run = { all: true, type: TaskType.ACCOUNT_LOGIN, payload: { password: plant('run') } };
  await my('POST', 'trading/bulk-runs', run);
  await my('POST', 'account/tokens', { name: 'nightly', abilities: ['read'] });
  const { password_link: link, user } = await call(
    'POST',
    '/v1/operator/users',
    { name: 'Made by the operator', email: 'made@example.com' },
    operator.token,
  );
  const code = new URL(link.url as string).hash.replace('#password=', '');
  secrets.push(code, code.split('.')[1]!);
  await call('POST', '/v1/auth/set-password', { code, password: plant('set') }, '');
  await call('POST', '/v1/auth/login', { email: user.email, password: secrets.at(-1)! }, '');
  await server.request('POST', '/v1/auth/login', { body: { email: user.email, password: plant('wrong') } });
  await call('POST', `/v1/operator/users/${user.id}/password-link`, undefined, operator.token);
  await call('POST', '/v1/operator/join-tokens', { name: 'attic', region: 0 }, operator.token);
  const renewed = { current_password: TEST_PASSWORD, new_password: plant('new') };
  await my('POST', 'account/security/change-password', {
    ...renewed,
    new_password_confirmation: renewed.new_password,
  });
  await waitFor(async () => (await readRows()).some(({ result }) => result === 'refused'));
  const rows = await readRows();
  const text = JSON.stringify(rows);
  expect(secrets.length).toBeGreaterThan(20);
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
  const last = (action: string) => rows.findLast((row) => row.action === action)!;
  expect(last('webhook.update')).toMatchObject({
    before: { url: 'https://example.com/********' },
    after: { url: 'https://example.com/********' },
  });
  expect(last('webhook.rotate_secret').after).toEqual({ secret: '********' });
  expect(last('alert_channel.update').after).toMatchObject({ settings: { token: '********', topic: 'mine' } });
  expect(last('password.change').after).toEqual({ password: '********' });
});
