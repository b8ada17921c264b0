// @module-tag browser
/** A webhook, a channel and a rule are made without a mouse: each control is reached with Tab. */
import { startWebhookReceiver, waitFor, LOOPBACK, type WebhookReceiver } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

// Loopback is where a test can have an endpoint.
const { scene, flow } = useHostScene({ config: { outbound: LOOPBACK } });
/** The endpoint, and a server of ntfy. */
let receiver: WebhookReceiver;
beforeAll(async () => {
  receiver = await startWebhookReceiver();
  receiver.answer = () => ({ status: 200, body: '{"id":"xE73Iyuabi","event":"message","topic":"berth"}' });
});
afterAll(() => receiver?.close());

/** More than any page has of them. */
const MOST_CONTROLS = 150;

/** Goes from control to control until it is the one. */
const tabTo = async (page: Page, control: Locator): Promise<void> => {
  await see(control).toBeVisible();
  for (let count = 0; count < MOST_CONTROLS; count += 1) {
    if (await control.evaluate((element) => element === element.ownerDocument.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`${String(control)} is not reached with Tab`);
};

const pressOn = async (page: Page, control: Locator, key: 'Enter' | 'Space'): Promise<void> => {
  await tabTo(page, control);
  await page.keyboard.press(key);
};

const typeInto = async (page: Page, control: Locator, text: string): Promise<void> => {
  await tabTo(page, control);
  await page.keyboard.type(text);
};

flow('a webhook, a channel and a rule are made and tested without a mouse', async (visit) => {
  const { user, berth } = await scene.server.register('Ada Lovelace');
  const page = await visit.open('/account?tab=webhooks', { as: user });
  await pressOn(page, page.getByRole('button', { name: 'Create webhook' }), 'Enter');
  const hook = page.getByRole('dialog', { name: 'Create webhook' });
  await typeInto(page, hook.getByLabel('Endpoint URL'), receiver.url);
  await pressOn(page, hook.getByLabel('terminal.*'), 'Space');
  await pressOn(page, hook.getByRole('button', { name: 'Create webhook' }), 'Enter');
  await pressOn(
    page,
    page.getByRole('dialog', { name: 'Webhook created' }).getByRole('button', { name: 'Done' }),
    'Enter',
  );
  expect(await berth.webhooks.list().toArray()).toMatchObject([{ url: receiver.url, events: ['terminal.*'] }]);
  await pressOn(page, page.getByRole('row').getByRole('link').first(), 'Enter');
  await pressOn(page, page.getByRole('button', { name: 'Send test' }), 'Enter');
  await see(page.getByRole('dialog', { name: 'webhook.test' })).toContainText('200');

  await page.goto(`${visit.url}/alerts?tab=channels`);
  await pressOn(page, page.getByRole('button', { name: 'Add channel' }), 'Enter');
  const channel = page.getByRole('dialog', { name: 'Add channel' });
  await typeInto(page, channel.getByLabel('Kind'), 'ntfy');
  await typeInto(page, channel.getByLabel('Name'), 'Telephone');
  await typeInto(page, channel.getByLabel('Topic'), 'berth');
  await typeInto(page, channel.getByLabel('Server'), new URL(receiver.url).origin);
  await pressOn(page, channel.getByRole('button', { name: 'Add channel' }), 'Enter');
  const before = receiver.received.length;
  await pressOn(page, page.getByRole('button', { name: 'Send test to Telephone' }), 'Enter');
  await waitFor(() => receiver.received.length > before, { what: 'the test of the channel' });

  await pressOn(
    page,
    page.getByRole('navigation', { name: 'Alert sections' }).getByRole('link', { name: 'Rules' }),
    'Enter',
  );
  await pressOn(page, page.getByRole('button', { name: 'Create rule' }).first(), 'Enter');
  const rule = page.getByRole('dialog', { name: 'Create rule' });
  await typeInto(page, rule.getByLabel('Name'), 'By keyboard');
  const telephone = rule.getByRole('checkbox', { name: /^Telephone/ });
  await see(telephone).toBeChecked();
  for (const isChecked of [false, true]) {
    await pressOn(page, telephone, 'Space');
    await see(telephone).toBeChecked({ checked: isChecked });
  }
  await pressOn(page, rule.getByRole('button', { name: 'Create rule' }), 'Enter');
  await see(rule).toHaveCount(0);
  const [created] = await berth.alerts.rules.list().toArray();
  expect(created).toMatchObject({ name: expect.stringContaining('By keyboard') as string });
  expect(created?.channel_ids).toHaveLength(1);
  await visit.assertSound(page);
});
