// @module-tag browser
/** What a person sets on one terminal: its trading account, its name, its switches, its web addresses. */
import { useTestStack } from '@berth/testing';
import { expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

const stack = useTestStack();

const flow = useBrowser(() => stack.url);
const REFUSED = [/status of 422/];
const WRONG = 'not-the-password-4711';

flow('a terminal is refused with a wrong password, logs in, out, and opens a demo account', async (visit) => {
  const { user, token } = await stack.register('Ada Lovelace');
  const { id, owner } = await createTerminal(stack, token, { name: 'Accounts' });
  await owner.waitForStatus(id, 'ACTIVE');
  const page = await visit.open(`/terminals/${id}?tab=account`, { as: user, mayBe: REFUSED });
  const head = page.getByRole('main').locator('.page-head');
  const form = page.getByRole('form', { name: 'Another account' });
  await see(form.getByLabel('Login')).toHaveValue('5001');
  await visit.assertSound(page);

  await form.getByLabel('Login').fill('');
  await form.getByRole('button', { name: 'Log in' }).click();
  await see(form.getByRole('alert')).toHaveText('Enter the login.');
  await form.getByLabel('Login').fill('5001');
  await form.getByLabel('Password').fill(WRONG);
  await form.getByRole('button', { name: 'Log in' }).click();
  await see(form.getByLabel('Password')).toHaveValue('');
  await see(head).toContainText('Login failed');
  expect(await page.content()).not.toContain(WRONG);
  await visit.assertSound(page);

  await form.getByLabel('Login').fill('5002');
  await form.getByLabel('Password').fill('another-password');
  await form.getByRole('button', { name: 'Log in' }).click();
  await see(head).toContainText('account 5002');
  await see(head).toContainText('Active');

  await page.getByRole('button', { name: 'Log out', exact: true }).click();
  await see(head).toContainText('Logged out');
  await see(page.getByRole('button', { name: 'Log out', exact: true })).toHaveAttribute('aria-disabled', 'true');
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Log in with saved password' }).click();
  await see(head).toContainText('Active');

  const demo = page.getByRole('form', { name: 'Open demo account' });
  await demo.getByLabel('Currency').fill('€');
  await demo.getByRole('button', { name: 'Open demo account' }).click();
  await see(demo.getByRole('alert')).toHaveText('Enter the three letters of a currency, e.g. USD.');
  await visit.assertSound(page);
  await demo.getByLabel('Currency').fill('eur');
  await demo.getByRole('button', { name: 'Open demo account' }).click();
  await see(head).not.toContainText('account 5002');
  await see(head).toContainText('Active');
});

flow('the settings of a terminal are changed, and show what runs there', async (visit) => {
  const { user, token } = await stack.register('Grace Hopper');
  const { id, owner } = await createTerminal(stack, token, { name: 'Settings', login: '6001' });
  await owner.waitForStatus(id, 'ACTIVE');
  const page = await visit.open(`/terminals/${id}?tab=settings`, { as: user, mayBe: REFUSED });
  const card = (title: string) => page.getByRole('main').locator('section.card').filter({ hasText: title });
  const what = card('About');
  await see(what).toContainText('Sandbox (simulated)');
  await see(what).toContainText(id);
  await see(what.getByText(/^\d{4}$/)).toBeVisible();
  await visit.assertSound(page);

  const name = card('Name and project');
  await see(name.getByRole('button', { name: 'Save' })).toHaveAttribute('aria-disabled', 'true');
  await name.getByLabel('Name').fill('Evening desk');
  await name.getByRole('button', { name: 'Save' }).click();
  await see(page.getByRole('heading', { level: 1 })).toHaveText('Evening desk');

  const options = card('Terminal options');
  await options.getByRole('button', { name: 'Turn off' }).click();
  await see(options).toContainText('Algo trading is off.');
  await see(page.getByText('Experts can’t trade: algo trading is off.')).toBeVisible();
  await options.getByRole('button', { name: 'Turn on' }).click();
  await see(options).toContainText('Algo trading is on.');

  await card('Automatic screenshots').getByLabel('Take screenshots').selectOption('Every hour');
  await see(page.getByText('Screenshots are taken every hour.')).toBeVisible();

  const web = card('Allowed WebRequest URLs');
  await web.getByLabel('URL', { exact: true }).fill('ftp://example.com');
  await web.getByRole('button', { name: 'Allow' }).click();
  await see(web.getByRole('alert')).toHaveText(
    'Enter a URL with scheme, host and port only, e.g. https://api.example.com.',
  );
  await web.getByLabel('URL', { exact: true }).fill('https://api.example.com');
  await web.getByRole('button', { name: 'Allow' }).click();
  const taken = web.getByRole('button', { name: 'Remove: https://api.example.com' });
  await see(taken).toBeVisible();
  await visit.assertSound(page);
  await taken.click();
  await see(web).toContainText('No URLs allowed.');
});
