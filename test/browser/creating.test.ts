// @module-tag browser
/** From the form of a new terminal to an active one, or to what is wrong with it. */
import { useTestStack } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

const stack = useTestStack();

const flow = useBrowser(() => stack.url);

const REFUSED = [/status of 422/];

const openForm = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: 'Create terminal' }).click();
  return page.getByRole('dialog', { name: 'Create terminal' });
};

const send = (form: Locator): Promise<void> => form.getByRole('button', { name: 'Create terminal' }).click();

flow('a terminal is created by its form, which names what is missing, and installed step by step', async (visit) => {
  const { user } = await stack.register('Ada Lovelace');
  const page = await visit.open('/terminals', { as: user, mayBe: REFUSED });
  const form = await openForm(page);
  const server = form.getByLabel('Trading server');
  await see(server).toBeFocused();
  await visit.assertSound(page);
  await send(form);
  for (const name of ['Trading server', 'Login', 'Password']) {
    await see(form.getByLabel(name)).toHaveAttribute('aria-invalid', 'true');
    await see(form.getByLabel(name)).toHaveAccessibleDescription(new RegExp(`${name} is required\\.`));
  }
  await see(server).toBeFocused();
  await see(form.getByLabel('Name')).not.toHaveAttribute('aria-invalid');
  await visit.assertSound(page);

  await server.fill('Harbour-Demo');
  await form.getByLabel('Login').fill('7001');
  await form.getByLabel('Password').fill('never shown again');
  await form.getByLabel('Name').fill('Morning desk');
  const regions = form.getByLabel('Region').getByRole('option');
  await see(regions).toHaveCount(5);
  await see(regions.nth(1)).toContainText(/: [1-9][0-9]* slots? free/);
  await form.getByLabel('Region').selectOption({ index: 1 });
  await form.getByLabel('Platform').selectOption('Sandbox (simulated)');
  await send(form);

  const way = page.getByRole('dialog', { name: 'Terminal created' });
  await see(way.getByRole('status')).toHaveText('Your terminal is active. You can install experts now.');
  await see(way.getByRole('listitem').filter({ hasText: ', done' })).toHaveCount(4);
  await visit.assertSound(page);
  await way.getByRole('link', { name: 'Open terminal' }).click();
  await see(page.getByRole('heading', { name: 'Morning desk', level: 1 })).toBeVisible();
  expect(await page.content()).not.toContain('never shown again');
});

flow(
  'a refused login is shown as the failed step with what to do, and another one begins with the same place',
  async (visit) => {
    const { user, token } = await stack.register('Grace Hopper');
    const first = await createTerminal(stack, token, { login: '7100' });
    await first.owner.waitForStatus(first.id, 'ACTIVE');
    const page = await visit.open('/terminals?create=true', { as: user, viewport: { width: 375, height: 720 } });
    const form = page.getByRole('dialog', { name: 'Create terminal' });
    await form.getByLabel('Trading server').fill('Harbour-Demo');
    await form.getByLabel('Login').fill('7100');
    await form.getByLabel('Password').fill('not the password');
    await form.getByLabel('Region').selectOption({ index: 1 });
    await form.getByLabel('Platform').selectOption('Sandbox (simulated)');
    const region = await form.getByLabel('Region').inputValue();
    await send(form);
    const way = page.getByRole('dialog', { name: 'Creating terminal' });
    await see(way.getByRole('listitem').filter({ hasText: ', failed' })).toContainText('Logged in');
    await see(way.getByRole('status')).toContainText('The login failed.');
    await visit.assertSound(page);
    await way.getByRole('button', { name: 'Create another' }).click();
    await see(form.getByLabel('Login')).toBeFocused();
    await see(form.getByLabel('Login')).toHaveValue('');
    await see(form.getByLabel('Password')).toHaveValue('');
    await see(form.getByLabel('Trading server')).toHaveValue('Harbour-Demo');
    await see(form.getByLabel('Region')).toHaveValue(region);
    await see(form.getByLabel('Platform')).toHaveValue('sandbox');
  },
);

/** What only programs say: a type of task, a status, a route. */
const PROGRAM_WORDS = /\b[A-Z]+_[A-Z_]+\b|\/v1\//;

flow(
  'an unknown server is called so, in words for people, and is added on the tab that the advice opens',
  async (visit) => {
    const { user, token } = await stack.register('Mary Somerville');
    const { id, owner } = await createTerminal(stack, token, { name: 'Lost at sea', server_name: 'Unknown-Live' });
    await owner.waitForStatus(id, 'LOGIN_FAILED');
    const page = await visit.open('/terminals', { as: user });
    await see(page.getByRole('row').filter({ hasText: 'Lost at sea' })).toContainText('Server unknown');
    await page.goto(`${visit.url}/terminals/${id}`);
    const main = page.getByRole('main');
    await see(main.locator('.page-head')).toContainText('Server unknown');
    await see(main.getByText('The terminal does not know the trading server')).toBeVisible();
    expect(await main.innerText()).not.toMatch(PROGRAM_WORDS);
    await visit.assertSound(page);
    // However narrow, the strip of tabs has no bar of its own.
    await see(page.getByRole('navigation', { name: 'Terminal sections' })).toHaveCSS('scrollbar-width', 'none');
    await page.getByRole('button', { name: 'Trading servers…' }).click();
    await see(page.getByLabel('Server name')).toBeFocused();
    await see(page.getByLabel('Server name')).toBeInViewport();
  },
);

flow('a terminal of a minute says since when it is connected, and a year later counts the last day', async (visit) => {
  const { user, token } = await stack.register('Lise Meitner');
  const { id, owner } = await createTerminal(stack, token, { name: 'Newborn', login: '7300' });
  await owner.waitForStatus(id, 'ACTIVE');
  const page = await visit.open(`/terminals/${id}`, { as: user });
  const open = page.getByRole('button', { name: 'Show screenshot' });
  await open.click();
  const figures = page.locator('.figures');
  await see(figures).toContainText(/connected since \d\d:\d\d UTC/);
  await see(page.getByRole('img', { name: /^Connected to the broker: .* since \d\d:\d\d UTC$/ })).toBeVisible();
  await stack.query(`update terminals set created_at = now() - interval '1 year' where id = $1`, [id]);
  await page.reload();
  await open.click();
  await see(figures).toContainText('connected, last 24 h');
  await see(page.getByRole('img', { name: /^Connected to the broker: .*, last 24 h$/ })).toBeVisible();
});

flow('after a dialog that came with the address, the keyboard goes on in the page', async (visit) => {
  const { user } = await stack.register('Emmy Noether');
  const page = await visit.open('/terminals?create=true', { as: user });
  const form = page.getByRole('dialog', { name: 'Create terminal' });
  await see(form.getByLabel('Trading server')).toBeFocused();
  await page.keyboard.press('Escape');
  await see(form).toHaveCount(0);
  await see(page.locator('main :focus')).toHaveCount(1);
  // One that a button opened gives the focus back to it.
  const button = page.getByRole('button', { name: 'Create terminal' }).first();
  await button.click();
  await see(form.getByLabel('Trading server')).toBeFocused();
  await page.keyboard.press('Escape');
  await see(form).toHaveCount(0);
  await see(button).toBeFocused();
});
