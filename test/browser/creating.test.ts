// @module-tag browser
/** From the form of a new terminal to an active one, or to what is wrong with it. */
import { endProcesses, startTestStack, type TestStack } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
  await endProcesses();
});

const flow = useBrowser(() => stack.url);

const REFUSED = [/status of 422/];

const openForm = async (page: Page): Promise<Locator> => {
  await page.getByRole('button', { name: 'Create terminal' }).click();
  return page.getByRole('dialog', { name: 'Create a terminal' });
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
    await see(form.getByLabel(name)).toHaveAccessibleDescription(/required/);
  }
  await see(form.getByLabel('Name')).not.toHaveAttribute('aria-invalid');
  await visit.assertSound(page);

  await server.fill('Harbour-Demo');
  await form.getByLabel('Login').fill('7001');
  await form.getByLabel('Password').fill('never shown again');
  await form.getByLabel('Name').fill('Morning desk');
  const regions = form.getByLabel('Region').getByRole('option');
  await see(regions).toHaveCount(5);
  await see(regions.nth(1)).toContainText(/: room for [1-9]/);
  await form.getByLabel('Region').selectOption({ index: 1 });
  await form.getByLabel('Platform').selectOption('Sandbox, simulated');
  await send(form);

  const way = page.getByRole('dialog', { name: 'Your terminal is on its way' });
  await see(way.getByRole('status')).toHaveText('It is active: experts can be installed now.');
  await see(way.getByRole('listitem').filter({ hasText: ', done' })).toHaveCount(4);
  await visit.assertSound(page);
  await way.getByRole('link', { name: 'Open the terminal' }).click();
  await see(page.getByRole('heading', { name: 'Morning desk', level: 1 })).toBeVisible();
  expect(await page.content()).not.toContain('never shown again');
});

flow('a login that the broker refuses is told as the step that failed, with what to do', async (visit) => {
  const { user, token } = await stack.register('Grace Hopper');
  const first = await createTerminal(stack, token, { login: '7100' });
  await first.owner.waitForStatus(first.id, 'ACTIVE');
  const page = await visit.open('/terminals?create=true', { as: user, viewport: { width: 375, height: 720 } });
  const form = page.getByRole('dialog', { name: 'Create a terminal' });
  await form.getByLabel('Trading server').fill('Harbour-Demo');
  await form.getByLabel('Login').fill('7100');
  await form.getByLabel('Password').fill('not the password');
  await send(form);
  const way = page.getByRole('dialog', { name: 'Your terminal is on its way' });
  await see(way.getByRole('listitem').filter({ hasText: ', failed' })).toContainText('Logged in at the broker');
  await see(way.getByRole('status')).toContainText('The broker refused the login.');
  await visit.assertSound(page);
  await way.getByRole('button', { name: 'Create another' }).click();
  await see(page.getByRole('dialog', { name: 'Create a terminal' }).getByLabel('Login')).toHaveValue('');
});
