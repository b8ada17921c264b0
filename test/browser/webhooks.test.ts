// @module-tag browser
/** Webhooks: an endpoint is set up, tested and mended, and its messages are checked with the code that the page shows. */
import { startWebhookReceiver, waitFor, LOOPBACK, type WebhookReceiver } from '@berth/testing';
import { verifyWebhook } from '@berth/client/webhook';
import type { Page } from '@playwright/test';
import { beforeEach, afterEach, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

// Loopback is where a test can have an endpoint.
const { scene, flow } = useHostScene({ config: { outbound: LOOPBACK } });
let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await startWebhookReceiver();
});
afterEach(() => receiver.close());

const REFUSED = [/status of 422/];

const seeHeading = (page: Page, name: string | RegExp): Promise<void> =>
  see(page.getByRole('heading', { name, level: 1 })).toBeVisible();

/** Opens the delivery that is the newest of its type. */
const openDelivery = async (page: Page, type: string) => {
  await page.getByRole('button', { name: type }).first().click();
  const sheet = page.getByRole('dialog', { name: type });
  await see(sheet).toBeVisible();
  return sheet;
};

flow('a webhook is created, shows its secret once, gets a test, and what happens after it', async (visit) => {
  const { user, token } = await scene.server.register('Ada Lovelace');
  const page = await visit.open('/account?tab=webhooks', { as: user, mayBe: REFUSED });
  await see(page.getByText('No webhooks yet')).toBeVisible();
  await page.getByRole('button', { name: 'Create webhook' }).click();
  const form = page.getByRole('dialog', { name: 'Create webhook' });
  await see(form.getByLabel('Endpoint URL')).toBeFocused();
  await form.getByRole('button', { name: 'Create webhook' }).click();
  await see(form.getByText('Choose at least one event.')).toBeVisible();
  await form.getByLabel('Endpoint URL').fill('http://10.0.0.1:8080/');
  await form.getByLabel('terminal.*').check();
  await see(form.getByLabel('terminal.down')).toBeDisabled();
  await form.getByLabel('Description').fill('Risk desk');
  await form.getByRole('button', { name: 'Create webhook' }).click();
  await see(form.getByLabel('Endpoint URL')).toHaveAttribute('aria-invalid', 'true');
  await visit.assertSound(page);
  await form.getByLabel('Endpoint URL').fill(receiver.url);
  await form.getByRole('button', { name: 'Create webhook' }).click();
  const created = page.getByRole('dialog', { name: 'Webhook created' });
  const secret = await created.getByLabel('Secret').inputValue();
  expect(secret).toMatch(/^whsec_/);
  await visit.assertSound(page);
  await created.getByRole('button', { name: 'Done' }).click();
  await see(created).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  // The focus goes back to where the dialog was opened.
  await see(page.getByRole('button', { name: 'Create webhook' })).toBeFocused();
  await see(page.getByRole('row').filter({ hasText: 'Risk desk' })).toContainText('Active');
  await visit.assertSound(page);

  await page.getByRole('row').filter({ hasText: 'Risk desk' }).getByRole('link').first().click();
  await seeHeading(page, /^127\.0\.0\.1/);
  await see(page.getByText('No deliveries yet')).toBeVisible();
  await page.getByRole('button', { name: 'Send test' }).click();
  const sheet = page.getByRole('dialog', { name: 'webhook.test' });
  await see(sheet.getByRole('list', { name: 'Last tries, newest first' })).toContainText('204');
  await see(sheet.getByText('Delivered', { exact: true })).toBeVisible();
  await visit.assertSound(page);
  const [test] = receiver.received;
  const sent = await verifyWebhook<{ type: string }>(test!.body, test!.headers, secret);
  expect(sent.type).toBe('webhook.test');
  await page.keyboard.press('Escape');
  await see(sheet).toHaveCount(0);
  const day = page.locator('dl', { hasText: 'Delivered, last 24 h' });
  await see(day.locator('.tile').first()).toContainText('Delivered, last 24 h1100% at the first try');
  await see(day.locator('.tile').nth(1)).toContainText(/^Median time≈\s\d+\sms/);
  await see(day.locator('.tile').nth(2)).toHaveText('Waiting0');
  await see(day.getByRole('img', { name: '1 delivered, 0 given up in the last 24 hours' })).toBeVisible();

  // Nothing is reloaded: the list follows what happens.
  await scene.createTerminals(token, ['Gold <b>grid']);
  await see(page.getByRole('button', { name: 'terminal.status_changed' }).first()).toBeVisible();
  const delivery = await openDelivery(page, 'terminal.status_changed');
  await see(delivery.getByRole('group', { name: 'Body of the request' })).toContainText('"name": "Gold <b>grid"');
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await delivery.getByRole('button', { name: 'Copy as curl' }).click();
  await see(page.getByText('Copied to clipboard.')).toBeVisible();
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(command).toContain(`curl --globoff -X POST '${receiver.url}'`);
  expect(command).toContain('"name":"Gold <b>grid"');
  expect(command).not.toMatch(/signature|whsec/i);
  await visit.assertSound(page);
});

flow(
  'an endpoint that fails is seen, what failed is sent again, and the webhook is disabled and enabled',
  async (visit) => {
    const { user, berth } = await scene.server.register('Grace Hopper');
    receiver.answer = () => ({ status: 410, body: 'Gone <script>away</script>' });
    const { id } = await berth.webhooks.create({ url: receiver.url, events: ['terminal.down'] });
    const page = await visit.open(`/account/webhooks/${id}`, { as: user });
    await page.getByRole('button', { name: 'Send test' }).click();
    const sheet = page.getByRole('dialog', { name: 'webhook.test' });
    await see(sheet.getByRole('group', { name: 'Beginning of the answer' })).toContainText('<script>away</script>');
    await see(sheet.getByText('The endpoint answered 410.')).toBeVisible();
    await visit.assertSound(page);
    await page.keyboard.press('Escape');
    await see(sheet).toHaveCount(0);
    await see(page.getByRole('banner').or(page.locator('.page-head')).last()).toContainText('Disabled');
    await see(page.locator('.tile').first()).toHaveText('Delivered, last 24 h01 given up');
    await see(page.getByRole('button', { name: 'Send test' })).toHaveAccessibleDescription('Enable the webhook first.');
    await page.getByRole('button', { name: 'Enable' }).click();
    await see(page.getByRole('button', { name: 'Disable' })).toBeVisible();

    receiver.answer = () => ({ status: 200 });
    await page.getByRole('button', { name: 'Failed', exact: true }).click();
    await see(page.getByRole('button', { name: 'webhook.test' })).toHaveCount(1);
    await page.getByRole('button', { name: 'Resend failed' }).click();
    const resend = page.getByRole('dialog', { name: 'Resend failed deliveries' });
    await visit.assertSound(page);
    await resend.getByRole('button', { name: 'Resend failed' }).click();
    await see(page.getByText('1 delivery is sent again.')).toBeVisible();
    await see(resend).toHaveCount(0);
    await see(page.getByText('No such deliveries')).toBeVisible();
    await page.getByRole('button', { name: 'Delivered' }).click();
    const again = await openDelivery(page, 'webhook.test');
    const tries = again.getByRole('list', { name: 'Last tries, newest first' }).getByRole('listitem');
    await see(tries).toHaveCount(2);
    await see(tries.first()).toContainText(/\d\d:\d\d:\d\d UTC/);
    await see(page.getByText('Times in UTC')).toBeAttached();
    const count = receiver.received.length;
    await again.getByRole('button', { name: 'Resend' }).click();
    await waitFor(() => receiver.received.length > count);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    await page.keyboard.press('Escape');
    await see(again).toHaveCount(0);

    // Once that was given up, and twice that was taken.
    await page.goto(`${visit.url}/account?tab=webhooks`);
    const row = page.getByRole('row').filter({ has: page.getByRole('img', { name: /^2 delivered, 1 given up/ }) });
    await see(row.getByRole('cell').nth(4)).toHaveText('2');
    await see(row.getByRole('cell').nth(5)).toHaveText(/^≈\s\d+\sms$/);
    await see(row.getByRole('cell').nth(6)).toContainText('0');
    await row.getByRole('link').click();
    await page.getByRole('button', { name: 'Disable' }).click();
    const disable = page.getByRole('dialog', { name: 'Disable this webhook?' });
    await disable.getByRole('button', { name: 'Disable' }).click();
    await see(page.getByRole('button', { name: 'Enable' })).toBeVisible();
    await visit.assertSound(page);
  },
);

flow('a secret is rotated, settings are changed, and a webhook is deleted, on a telephone by day', async (visit) => {
  const { user, berth } = await scene.server.register('Mary Somerville');
  const made = await berth.webhooks.create({ url: receiver.url, events: ['task.finished'] });
  const phone = { viewport: { width: 375, height: 720 }, colorScheme: 'light' } as const;
  const page = await visit.open(`/account/webhooks/${made.id}?tab=signature`, {
    as: user,
    ...phone,
    mayBe: [/status of 404/],
  });
  await see(page.getByRole('group', { name: 'Function that checks a message' })).toContainText('verifyWebhook');
  await page.getByRole('button', { name: 'PHP' }).click();
  await see(page.getByRole('group', { name: 'Function that checks a message' })).toContainText('hash_equals');
  await assertNoSideScroll(page);
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Rotate secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate secret' }).click();
  const rotated = page.getByRole('dialog', { name: 'New secret' });
  const secret = await rotated.getByLabel('Secret').inputValue();
  await rotated.getByRole('button', { name: 'Done' }).click();
  await see(rotated).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  await see(page.getByText(/also carry the signature of the previous secret until/)).toBeVisible();
  await page.getByRole('button', { name: 'Send test' }).first().click();
  await see(page.getByRole('dialog', { name: 'webhook.test' })).toContainText('204');
  const [received] = receiver.received;
  for (const one of [secret, made.secret])
    await verifyWebhook(received!.body, received!.headers as Record<string, string>, one);
  await page.getByRole('button', { name: 'Close' }).click();
  await see(page.getByRole('dialog')).toHaveCount(0);
  await assertNoSideScroll(page);

  await page.getByRole('button', { name: 'Edit' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit webhook' });
  await edit.getByLabel('task.finished').uncheck();
  await edit.getByLabel(/^\* /).check();
  await edit.getByLabel('Keep the order of each terminal’s events').check();
  await visit.assertSound(page);
  await edit.getByRole('button', { name: 'Save' }).click();
  await see(edit).toHaveCount(0);
  expect(await berth.webhooks.get(made.id)).toMatchObject({ events: ['*'], is_ordered: true, url: receiver.url });
  await page.getByRole('button', { name: 'Delete webhook' }).click();
  await page.getByLabel('Type delete to confirm').fill('delete');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
  await see(page.getByText('No webhooks yet')).toBeVisible();
  await visit.assertSound(page);
  await page.goto(`${visit.url}/account/webhooks/${made.id}`);
  await seeHeading(page, 'Webhook not found');
});
