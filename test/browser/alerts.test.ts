// @module-tag browser
/** Alerts: somebody sets up a channel and rules, is told, acknowledges, and sees what was. */
import { HostStatus, TerminalStatus } from '@berth/contract';
import { startWebhookReceiver, waitFor, LOOPBACK, type WebhookReceiver } from '@berth/testing';
import type { Page } from '@playwright/test';
import { afterEach, beforeEach, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

// Loopback is where a test can have a chat.
const { scene, flow } = useHostScene({ config: { outbound: LOOPBACK } });
/** A server of ntfy. */
let chat: WebhookReceiver;
let serverUrl: string;
beforeEach(async () => {
  chat = await startWebhookReceiver();
  chat.answer = () => ({ status: 200, body: '{"id":"xE73Iyuabi","event":"message","topic":"berth"}' });
  serverUrl = new URL(chat.url).origin;
});
afterEach(() => chat.close());

/** What the host sees of a terminal. */
const report = (id: string, status: TerminalStatus, reason?: string) =>
  scene.host.report({
    ...{ kind: 'terminal', terminal_id: id, status: status as never },
    ...(reason === undefined ? {} : { reason }),
  } as const);

/** So many minutes pass for what a user is alerted of. */
const pass = (userId: string, minutes: number) => {
  const by = `interval '${minutes} minutes'`;
  return scene.server.query(
    `with subjects as (
       update alert_subjects set began_at = began_at - ${by}, ended_at = ended_at - ${by}
       where rule_id in (select id from alert_rules where user_id = $1)
     )
     insert into alert_wakes (user_id) values ($1)`,
    [userId],
  );
};

const open = async (page: Page, tab: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Alert sections' }).getByRole('link', { name: tab }).click();

flow(
  'a channel is added and tested, a rule uses it, an alert is seen everywhere, acknowledged, and over',
  async (visit) => {
    const { user, token, berth } = await scene.server.register('Ada Lovelace');
    const [id = ''] = await scene.createTerminals(token, ['Gold <b>grid']);
    await waitFor(async () => (await berth.alerts.rules.list().toArray()).length === 3);
    const page = await visit.open('/alerts?tab=channels', { as: user, mayBe: [/status of 422/] });
    await see(page.getByText('No channels yet')).toBeVisible();
    await page.getByRole('button', { name: 'Add channel' }).click();
    const form = page.getByRole('dialog', { name: 'Add channel' });
    await see(form.getByLabel('Kind')).toBeFocused();
    await see(form.getByLabel('Bot token')).toBeVisible();
    await form.getByLabel('Kind').selectOption('ntfy');
    await form.getByLabel('Name').fill('Telephone');
    await form.getByLabel('Topic').fill('berth');
    await form.getByLabel('Server').fill('http://10.0.0.1/');
    await form.getByRole('button', { name: 'Add channel' }).click();
    await see(form.getByLabel('Server')).toHaveAttribute('aria-invalid', 'true');
    await visit.assertSound(page);
    await form.getByLabel('Server').fill(serverUrl);
    await form.getByLabel('Access token').fill('tk_very_secret');
    await form.getByRole('button', { name: 'Add channel' }).click();
    await see(form).toHaveCount(0);
    await see(page.getByRole('button', { name: 'Add channel' })).toBeFocused();
    const channel = page.getByRole('list', { name: 'Your channels, oldest first' }).getByRole('listitem');
    await see(channel).toContainText('Not used yet');
    await page.getByRole('button', { name: 'Send test to Telephone' }).click();
    await see(channel).toContainText('The test was accepted.');
    expect(chat.received[0]?.headers.authorization).toBe('Bearer tk_very_secret');
    expect(await page.content()).not.toContain('very_secret');
    await visit.assertSound(page);

    await open(page, 'Rules');
    await see(page.getByRole('row')).toHaveCount(4);
    await page.getByRole('button', { name: /^Login failed/ }).click();
    const edit = page.getByRole('dialog', { name: 'Edit rule' });
    await edit.getByRole('checkbox', { name: /^Telephone/ }).check();
    await visit.assertSound(page);
    await edit.getByRole('button', { name: 'Save' }).click();
    await see(edit).toHaveCount(0);
    await see(page.getByRole('row').filter({ hasText: 'Login failed' })).toContainText('Telephone');

    await page.getByRole('link', { name: 'Terminals', exact: true }).click();
    const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alerts', exact: true });
    await see(link).toHaveText('Alerts');
    await report(id, TerminalStatus.LOGIN_FAILED, 'Invalid account <i>5001</i>');
    // Wherever somebody is, the navigation says so.
    await see(link).toHaveText('Alerts1');
    await see(link).toHaveAccessibleDescription('1 open alert');
    await link.click();
    const card = page.getByRole('list', { name: 'Open alerts, newest first' }).locator('> li');
    await see(card).toHaveCount(1);
    await see(card.getByRole('heading')).toContainText('Gold <b>grid');
    await see(card).toContainText('Invalid account');
    await see(card.getByRole('list', { name: 'What was sent' })).toContainText('Telephone');
    await see(card.getByRole('link', { name: 'Open terminal' })).toHaveAttribute('href', new RegExp(`${id}$`));
    await visit.assertSound(page);
    await card.getByRole('button', { name: /^Acknowledge/ }).click();
    await see(card.getByText('Acknowledged', { exact: true })).toBeVisible();
    expect((await berth.alerts.list({ status: 'open' }).toArray())[0]?.acknowledged_at).not.toBe(null);

    await report(id, TerminalStatus.ACTIVE);
    const over = async (): Promise<boolean> => {
      await pass(user.id, 10);
      return (await berth.alerts.list({ status: 'resolved' }).toArray()).length === 1;
    };
    await waitFor(over, { timeoutMs: 30_000, what: 'the end of the alert' });
    await see(page.getByText('Nothing is wrong')).toBeVisible();
    await see(link).toHaveText('Alerts');
    await open(page, 'Resolved');
    await see(page.getByRole('row').filter({ hasText: 'Gold <b>grid' })).toContainText('Telephone');
    await visit.assertSound(page);
  },
);

flow('two clicks on the page of a terminal make a rule for it, by all channels, and no second one', async (visit) => {
  const { user, token, berth } = await scene.server.register('Grace Hopper');
  const [id = ''] = await scene.createTerminals(token, ['Quay scalper']);
  const settings = { topic: 'berth', server_url: serverUrl };
  const channel = await berth.alerts.channels.create({ kind: 'ntfy', name: 'Telephone', settings });
  const page = await visit.open(`/terminals/${id}`, { as: user });
  await page.getByRole('button', { name: 'Alert me' }).click();
  await visit.assertSound(page);
  await page.getByRole('menuitem', { name: 'is down for 5 minutes' }).click();
  await see(
    page.getByText(/“.*Quay scalper: is down for 5 minutes.*” created\. You are told by .*Telephone/),
  ).toBeVisible();
  const rules = await berth.alerts.rules.list().toArray();
  expect(rules.filter(({ terminal_ids: ids }) => ids !== null)).toMatchObject([
    { when: 'terminal_down', for_minutes: 5, terminal_ids: [id], channel_ids: [channel.id], enabled: true },
  ]);
  // By keyboard, and what is there already is said.
  await see(page.getByRole('menu')).toHaveCount(0);
  await page.getByRole('button', { name: 'Alert me' }).focus();
  await page.keyboard.press('Enter');
  await see(page.getByRole('menuitem', { name: 'is down for 5 minutes' })).toHaveAttribute('aria-disabled', 'true');
  await page.keyboard.press('End');
  await page.keyboard.press('Enter');
  await see(page.getByRole('heading', { name: 'Alerts', level: 1 })).toBeVisible();
  await see(page.getByRole('row').filter({ hasText: 'Quay scalper' })).toContainText('1 terminal');
});

flow(
  'a rule with quiet hours is made on a telephone by day, switched off, and deleted; a channel fails',
  async (visit) => {
    const { user, token, berth } = await scene.server.register('Mary Somerville');
    await scene.createTerminals(token, ['Night desk', 'Day desk']);
    chat.answer = () => ({ status: 403, body: '{"code":40301,"http":403,"error":"forbidden"}' });
    const settings = { topic: 'berth', server_url: serverUrl, token: 'tk_old' };
    const channel = await berth.alerts.channels.create({ kind: 'ntfy', name: 'Telephone', settings });
    const phone = { viewport: { width: 375, height: 720 }, colorScheme: 'light' } as const;
    const page = await visit.open('/alerts?tab=rules', { as: user, ...phone, mayBe: [/status of 422/] });
    await page.getByRole('button', { name: 'Create rule' }).click();
    const form = page.getByRole('dialog', { name: 'Create rule' });
    await form.getByLabel('Alert me when').selectOption('A host goes offline');
    await form.getByLabel('Name').fill('Desk <script>');
    await form.getByLabel('Remind every (minutes)').fill('60');
    await form.getByLabel('Terminals', { exact: true }).selectOption('Only some terminals');
    const create = form.getByRole('button', { name: 'Create rule' });
    await create.click();
    await see(form.getByText('Choose at least one terminal.')).toBeVisible();
    await form.getByLabel('Search terminals').fill('night');
    await form.getByRole('checkbox', { name: /^Night desk/ }).check();
    await form.getByLabel('Quiet hours').check();
    await form.getByLabel('Until').fill('22:00');
    await visit.assertSound(page);
    await assertNoSideScroll(page);
    await create.click();
    await see(form.getByLabel('Until')).toHaveAttribute('aria-invalid', 'true');
    await form.getByLabel('Until').fill('06:30');
    await form.getByLabel('Time zone').selectOption('Europe/Berlin');
    await create.click();
    await see(form).toHaveCount(0);
    const findRule = async () =>
      (await berth.alerts.rules.list().toArray()).find(({ name }) => name === 'Desk <script>');
    expect(await findRule()).toMatchObject({
      ...{ when: 'host_lost', for_minutes: 0, remind_every_minutes: 60, project_id: null, channel_ids: [channel.id] },
      quiet_hours: { from: '22:00', to: '06:30', time_zone: 'Europe/Berlin' },
    });
    expect((await findRule())?.terminal_ids).toHaveLength(1);
    await page.getByRole('switch', { name: 'Desk <script>' }).click();
    await see(page.getByRole('switch', { name: 'Desk <script>' })).not.toBeChecked();
    expect((await findRule())?.enabled).toBe(false);
    await visit.assertSound(page);
    await assertNoSideScroll(page);
    await page.getByRole('button', { name: 'More actions for Desk <script>' }).click();
    await page.getByRole('menuitem', { name: 'Delete rule' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete rule' }).click();
    await see(page.getByRole('dialog')).toHaveCount(0);
    await see(page.getByRole('switch', { name: 'Desk <script>' })).toHaveCount(0);

    await open(page, 'Channels');
    await page.getByRole('button', { name: 'Send test to Telephone' }).click();
    const row = page.getByRole('list', { name: 'Your channels, oldest first' }).getByRole('listitem');
    await see(row).toContainText('403');
    await see(page.getByText('A channel fails')).toBeAttached();
    await visit.assertSound(page);
    await assertNoSideScroll(page);
    await page.getByRole('button', { name: 'More actions for Telephone' }).click();
    await page.getByRole('menuitem', { name: 'Edit channel' }).click();
    const edit = page.getByRole('dialog', { name: 'Edit channel' });
    await see(edit.getByLabel('Access token')).toHaveValue('********');
    await edit.getByLabel('Name').fill('Desk telephone');
    await edit.getByRole('button', { name: 'Save' }).click();
    await see(edit).toHaveCount(0);
    // What was not entered again is kept.
    // On a busy machine the rule may have had an alert, too.
    const before = chat.received.length;
    await page.getByRole('button', { name: 'Send test to Desk telephone' }).click();
    await waitFor(() => chat.received.length > before);
    expect(chat.received.at(-1)?.headers.authorization).toBe('Bearer tk_old');
    await page.getByRole('button', { name: 'More actions for Desk telephone' }).click();
    await page.getByRole('menuitem', { name: 'Delete channel' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete channel' }).click();
    await see(page.getByText('No channels yet')).toBeVisible();
  },
);

flow(
  'an operator sees when he is reminded of a lost host, and where it is; what is over is shown by rule',
  async (visit) => {
    const { user, token, berth } = await scene.server.registerOperator();
    await scene.createTerminals(token, ['Quay grid']);
    await waitFor(async () => (await berth.alerts.rules.list().toArray()).length === 3);
    for (const { id } of await berth.alerts.rules.list().toArray()) await berth.alerts.rules.delete(id);
    const settings = { topic: 'berth', server_url: serverUrl };
    const { id: channel } = await berth.alerts.channels.create({ kind: 'ntfy', name: 'Telephone', settings });
    const reminding = { remind_every_minutes: 60, channel_ids: [channel] };
    await berth.alerts.rules.create({ name: 'Lost', when: 'host_lost', ...reminding });
    await berth.alerts.rules.create({ name: 'Other', when: 'login_failed' });
    // Again where the server took a slow moment of its own for a downtime.
    const isLost = async (): Promise<boolean> => {
      await scene.server.query(`update scheduler set downtime_ended_at = '1970-01-01'`);
      const silent = `update hosts set last_seen_at = now() - interval '1 hour' where id = $1 returning status`;
      return (await scene.server.query(silent, [scene.host.id]))[0]?.status === HostStatus.LOST;
    };
    await waitFor(isLost, { what: 'the loss of the host' });
    const page = await visit.open('/alerts', { as: user, viewport: { width: 375, height: 720 } });
    const card = page.getByRole('list', { name: 'Open alerts, newest first' }).locator('> li');
    await see(card.getByRole('list', { name: 'What was sent' })).toContainText(
      /Telephone.*Next reminder.*, unless acknowledged/,
    );
    await visit.assertSound(page);
    await assertNoSideScroll(page);
    await see(card.getByRole('link', { name: 'Open hosts' })).toHaveAttribute('href', '/hosts');
    await card.getByRole('button', { name: /^Acknowledge/ }).click();
    await see(card).not.toContainText('Next reminder');

    await scene.host.heartbeat();
    const isOver = async (): Promise<boolean> => {
      await pass(user.id, 10);
      return (await berth.alerts.list({ status: 'resolved' }).toArray()).length === 1;
    };
    await waitFor(isOver, { timeoutMs: 30_000, what: 'the end of the alert' });
    await open(page, 'Resolved');
    await see(page.getByRole('row')).toHaveCount(2);
    await page.getByLabel('Rule').selectOption('Other');
    await see(page.getByText('No resolved alerts of this rule')).toBeVisible();
    await see(page).toHaveURL(/rule=/);
    await page.getByLabel('Rule').selectOption('Lost');
    await see(page.getByRole('row')).toHaveCount(2);
    await scene.server.query(`update alerts set resolved_at = now() - interval '3 days' where user_id = $1`, [user.id]);
    await page.getByLabel('Resolved within').selectOption('the last 24 hours');
    await see(page.getByText('None was resolved within the last 24 hours.')).toBeVisible();
    await see(page).toHaveURL(/rule=.*within=day/);
    await page.reload();
    await see(page.getByText('None was resolved within the last 24 hours.')).toBeVisible();
    await page.getByLabel('Resolved within').selectOption('the last 7 days');
    await see(page.getByRole('row')).toHaveCount(2);
    await visit.assertSound(page);
    await assertNoSideScroll(page);
  },
);

flow('a channel that takes pictures is asked for screenshots, which it says what they show', async (visit) => {
  const { user, berth } = await scene.server.register('Rosalind Franklin');
  const page = await visit.open('/alerts?tab=channels', { as: user });
  await page.getByRole('button', { name: 'Add channel' }).click();
  const form = page.getByRole('dialog', { name: 'Add channel' });
  const choice = form.getByRole('checkbox', { name: 'Send a screenshot along' });
  await see(choice).not.toBeChecked();
  await see(choice).toHaveAccessibleDescription(/Whoever reads this channel sees its account number/);
  await choice.check();
  await form.getByLabel('Kind').selectOption('Slack');
  await see(choice).toHaveCount(0);
  await form.getByLabel('Kind').selectOption('Discord');
  await see(choice).toBeChecked();
  await form.getByLabel('Webhook URL').fill(`${serverUrl}/api/webhooks/1/abcdefgh`);
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Add channel' }).click();
  await see(form).toHaveCount(0);
  const [channel] = await berth.alerts.channels.list().toArray();
  expect(channel).toMatchObject({ kind: 'discord', with_screenshot: true });
  await page.getByRole('button', { name: /^More actions/ }).click();
  await page.getByRole('menuitem', { name: 'Edit channel' }).click();
  const edit = page.getByRole('dialog', { name: 'Edit channel' });
  await edit.getByRole('checkbox', { name: 'Send a screenshot along' }).uncheck();
  await edit.getByRole('button', { name: 'Save' }).click();
  await see(edit).toHaveCount(0);
  expect((await berth.alerts.channels.list().toArray())[0]?.with_screenshot).toBe(false);
});
