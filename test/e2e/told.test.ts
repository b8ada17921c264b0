/** Somebody is told that his terminal was killed: by a chat, and by a webhook. Everything is real but the chat's service. */
import { startTestStack, startWebhookReceiver, waitFor, type TestStack, type WebhookReceiver } from '@berth/testing';
import type { UserEvent } from '@berth/client';
import { verifyWebhook } from '@berth/client/webhook';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TerminalUser } from './terminal-user.ts';

let stack: TestStack;
let telegram: WebhookReceiver;
let endpoint: WebhookReceiver;
beforeAll(async () => {
  [telegram, endpoint] = [await startWebhookReceiver(), await startWebhookReceiver()];
  telegram.answer = () => ({ status: 200, body: '{"ok":true,"result":{"message_id":7}}' });
  stack = await startTestStack({ environment: { BERTH_OUTBOUND_ALLOW: '127.0.0.1' } });
});
afterAll(async () => {
  await stack?.close();
  await Promise.all([telegram, endpoint].map((one) => one.close()));
});

it('a terminal that is killed is told of by Telegram, with links, and by a webhook whose signature is right', async () => {
  const user = new TerminalUser(stack.url, (await stack.register('Newcomer')).token);
  const { alerts, webhooks } = user.berth;
  const account = { server_name: 'Harbour-Demo', login: '6100', password: 'a-password', region: 0, name: 'Gold grid' };
  const { id } = await user.createTerminal(account);
  await user.waitForStatus(id, 'ACTIVE');
  const settings = { bot_token: '123456:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw', chat_id: '42' };
  const channel = await alerts.channels.create({
    ...{ kind: 'telegram', name: 'Telephone' },
    settings: { ...settings, api_url: new URL(telegram.url).origin },
  });
  expect(await alerts.channels.test(channel.id)).toMatchObject({ is_sent: true, error: null });
  await alerts.rules.create({ name: 'Down', when: 'terminal_down', for_minutes: 0, channel_ids: [channel.id] });
  const hook = await webhooks.create({ url: endpoint.url, events: ['terminal.down'] });

  // As if the server had started long ago: before hosts have reported, nobody is alerted.
  await stack.query(`update scheduler set downtime_ended_at = '1970-01-01'`);
  // It is started again after a second.
  const isTold = async () => {
    await stack.killTerminals();
    return telegram.received.length > 1;
  };
  await waitFor(isTold, { what: 'the message' });
  const [, message] = telegram.received;
  expect(message!.path).toBe(`/bot${settings.bot_token}/sendMessage`);
  const { chat_id, text } = JSON.parse(message!.body) as { chat_id: string; text: string };
  expect(chat_id).toBe('42');
  expect(text).toContain('<b>Terminal Gold grid is down</b>');
  expect(text).toContain(`<a href="${stack.url}/alerts">Open in Berth</a>`);
  expect(text).toContain(`<a href="${stack.url}/alert-links/acknowledge/`);
  const [delivery] = await waitFor(() => endpoint.received.length > 0 && endpoint.received, { what: 'the delivery' });
  const event = await verifyWebhook<UserEvent>(delivery!.body, delivery!.headers, hook.secret);
  expect(event).toMatchObject({
    type: 'terminal.down',
    terminal_id: id,
    data: { name: 'Gold grid', cause: 'process' },
  });
});
