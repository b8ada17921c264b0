// @module-tag browser
/** Forms say what is wrong in the words of the page, beside the field, and the focus goes there. */
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

type Wrong = readonly [label: string, sentence: string];

/** Sends the form as it stands, which is refused with these sentences beside these fields; the first one has the focus. */
const seeRefused = async (form: Locator, submit: string, wrong: readonly Wrong[]): Promise<void> => {
  await form.getByRole('button', { name: submit }).click();
  for (const [label, sentence] of wrong) {
    const field = form.getByLabel(label, { exact: true });
    await see(field).toHaveAttribute('aria-invalid', 'true');
    const described = ((await field.getAttribute('aria-describedby')) ?? '').split(' ');
    expect(described.length).toBeGreaterThan(0);
    await see(form.locator(`[id="${described.at(-1)}"]`)).toHaveText(sentence);
  }
  await see(form.getByLabel(wrong[0]![0], { exact: true })).toBeFocused();
};

const openDialog = async (page: Page, path: string, name: string): Promise<Locator> => {
  await page.goto(new URL(path, page.url()).href);
  await page.getByRole('button', { name }).first().click();
  return page.getByRole('dialog', { name });
};

flow('whoever is not signed in is told in sentences what is missing, and how good a password is', async (visit) => {
  const page = await visit.open('/sign-in', { mayBe: [/status of 422/] });
  const form = page.getByRole('main');
  const email: Wrong = ['E-mail', 'Enter your e-mail address, such as ada@example.com.'];
  await seeRefused(form, 'Sign in', [email, ['Password', 'Enter your password.']]);
  await visit.assertSound(page);
  await form.getByLabel('E-mail').fill('nobody@example.com');
  await form.getByLabel('Password').fill('a guess');
  await form.getByRole('button', { name: 'Sign in' }).click();
  await see(form.getByRole('alert')).toHaveText('The e-mail address or the password is wrong.');
  await see(form.getByLabel('E-mail')).toBeFocused();

  await page.getByRole('link', { name: 'Create account' }).click();
  await see(page.getByRole('heading', { name: 'Create account' })).toBeVisible();
  await seeRefused(form, 'Create account', [
    ['Name', 'Enter a name of at least 3 characters.'],
    email,
    ['Password', 'Use at least 6 characters.'],
  ]);
  await form.getByLabel('Name').fill('Ada Lovelace');
  await form.getByLabel('E-mail').fill('ada@example.com');
  const password = form.getByLabel('Password');
  for (const [typed, words] of [
    ['passw', 'Weak: too short'],
    ['correct horse', 'Strong'],
    ['Password1', 'Weak: among the most used'],
  ] as const) {
    await password.fill(typed);
    await see(form.getByRole('status')).toHaveText(words);
  }
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Create account' }).click();
  await see(password).toHaveAttribute('aria-invalid', 'true');
  await see(password).toBeFocused();
  await password.fill('correct horse');
  await form.getByRole('button', { name: 'Create account' }).click();
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
});

flow('each form that is sent empty says what is missing, and sends nothing', async (visit) => {
  const { user } = await scene.server.register('Grace Hopper');
  const page = await visit.open('/projects', { as: user });
  const sent: string[] = [];
  page.on('request', (request) => {
    if (request.method() !== 'GET') sent.push(request.url());
  });
  await see(page.getByRole('heading', { level: 1 })).toBeVisible();
  const project = await openDialog(page, '/projects', 'Create project');
  await seeRefused(project, 'Create project', [['Name', 'Enter a name.']]);
  await visit.assertSound(page);

  const token = await openDialog(page, '/account?tab=tokens', 'Create token');
  await token.getByLabel('Name').fill('prices');
  await token.getByRole('checkbox', { name: 'Read' }).uncheck();
  await token.getByRole('button', { name: 'Create token' }).click();
  await see(token.getByRole('group', { name: 'Scopes' })).toContainText('Choose at least one scope.');
  await see(token.getByRole('checkbox').first()).toBeFocused();
  await visit.assertSound(page);

  const webhook = await openDialog(page, '/account?tab=webhooks', 'Create webhook');
  await webhook.getByLabel('Endpoint URL').fill('example.com/berth');
  await seeRefused(webhook, 'Create webhook', [['Endpoint URL', 'Enter a URL that begins with https:// or http://.']]);
  await see(webhook.getByRole('group', { name: 'Events' })).toContainText('Choose at least one event.');

  const channel = await openDialog(page, '/alerts?tab=channels', 'Add channel');
  await seeRefused(channel, 'Add channel', [
    ['Bot token', 'Enter the token of your bot.'],
    ['Chat ID', 'Enter the ID of a chat.'],
  ]);

  const rule = await openDialog(page, '/alerts?tab=rules', 'Create rule');
  await rule.getByLabel('After (minutes)').fill('-1');
  await rule.getByLabel('Remind every (minutes)').fill('2');
  await seeRefused(rule, 'Create rule', [
    ['After (minutes)', 'Enter a whole number from 0 to 1,440.'],
    ['Remind every (minutes)', 'Enter a whole number from 5 to 10,080, or leave it empty.'],
  ]);

  const risk = await openDialog(page, '/risk', 'Create rule');
  await risk.getByLabel('Warn at, % of the limit').fill('100');
  await seeRefused(risk, 'Create rule', [
    ['Name', 'Enter a name.'],
    ['Limit', 'Enter a number such as 250.00.'],
    ['Warn at, % of the limit', 'Enter a whole number from 1 to 99.'],
  ]);
  await visit.assertSound(page);

  await page.goto(`${visit.url}/account?tab=password`);
  await page.getByLabel('New password', { exact: true }).fill('correct horse');
  await seeRefused(page.getByRole('main'), 'Change password', [
    ['Current password', 'Enter your current password.'],
    ['Confirm new password', 'The passwords don’t match.'],
  ]);
  await page.goto(`${visit.url}/account`);
  await page.getByLabel('Name', { exact: true }).fill('Al');
  await seeRefused(page.getByRole('main'), 'Save', [['Name', 'Enter a name of at least 3 characters.']]);
  await visit.assertSound(page);
  expect(sent).toEqual([]);
});
