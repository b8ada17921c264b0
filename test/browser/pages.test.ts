// @module-tag browser
/** Projects and account: what can be done on the pages other than the terminals, and their messages. */
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { signIn } from './support/page.ts';

const { scene, flow } = useHostScene();

const REFUSED = [/status of 40[01]/, /status of 422/];

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

const seePage = (page: Page, name: string): Promise<void> =>
  see(page.getByRole('heading', { name, level: 1 })).toBeVisible();

flow('a project is created, edited, made the default, and deleted once it holds nothing', async (visit) => {
  const { user } = await scene.server.register('Ada Lovelace');
  const page = await visit.open('/projects', { as: user, mayBe: REFUSED });
  await seePage(page, 'Projects');
  await page.getByRole('button', { name: 'Create project' }).click();
  const form = page.getByRole('dialog', { name: 'Create project' });
  await form.getByLabel('Name').fill('Harbour');
  await form.getByLabel('Description').fill('Trend followers');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Create project' }).click();
  await see(rowOf(page, 'Harbour')).toContainText('Trend followers');

  const choose = async (project: string, action: string): Promise<void> => {
    await page.getByRole('button', { name: `More actions for ${project}` }).click();
    await page.getByRole('menuitem', { name: action }).click();
  };
  await choose('Harbour', 'Edit');
  const edit = page.getByRole('dialog', { name: 'Edit project' });
  await edit.getByLabel('Name').fill('Quay');
  await edit.getByRole('button', { name: 'Save' }).click();
  await see(rowOf(page, 'Quay')).toContainText('Trend followers');
  await choose('Quay', 'Make default');
  await see(rowOf(page, 'Quay')).toContainText('Default');
  await page.getByRole('button', { name: 'More actions for Quay' }).click();
  await see(page.getByRole('menuitem', { name: 'Delete project' })).toHaveAttribute('aria-disabled', 'true');
  await visit.assertSound(page);
  await page.keyboard.press('Escape');

  const first = page.getByRole('row').nth(2).locator('b').first();
  const name = (await first.textContent()) ?? '';
  await choose(name, 'Delete project');
  const confirm = page.getByRole('dialog', { name: `Delete ${name}?` });
  await confirm.getByLabel(`Type ${name} to confirm`).fill(name);
  await confirm.getByRole('button', { name: 'Delete project' }).click();
  await see(rowOf(page, name)).toHaveCount(0);
  await page.getByLabel('Search projects').fill('nothing like this');
  await see(page.getByText('No matching projects')).toBeVisible();
  await visit.assertSound(page);
});

flow('a session is ended in another browser, and a new password ends this one, too', async (visit) => {
  const { user, token } = await scene.server.register('Grace Hopper');
  const page = await visit.open('/account?tab=sessions', { as: user, mayBe: REFUSED });
  const other = await visit.open('/terminals', { as: user, mayBe: REFUSED, colorScheme: 'light' });
  await seePage(other, 'Terminals');
  await page.reload();
  await see(page.getByRole('row')).toHaveCount(3);
  const others = page.getByRole('row').filter({ hasNotText: 'This browser' }).nth(1);
  await visit.assertSound(page);
  await others.getByRole('button', { name: 'End session', exact: true }).click();
  await see(other.getByText('Your session has expired.')).toBeVisible();
  await see(page.getByRole('row')).toHaveCount(2);
  await see(page.getByRole('button', { name: 'End session', exact: true })).toHaveAccessibleDescription(
    /Sign out to end this session/,
  );

  await page.getByRole('link', { name: 'Password' }).click();
  await page.getByLabel('Current password').fill('not the password');
  await page.getByLabel('New password', { exact: true }).fill('a better one');
  await page.getByLabel('Confirm new password').fill('a better one');
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Change password' }).click();
  await see(page.getByLabel('Current password')).toHaveAttribute('aria-invalid', 'true');
  await page.getByLabel('Current password').fill(user.password);
  await page.getByRole('button', { name: 'Change password' }).click();
  await see(page.getByText('Your password was changed. Sign in with the new one.')).toBeVisible();
  await signIn(page, { email: user.email, password: 'a better one' });
  await seePage(page, 'Terminals');
  expect((await scene.server.request('GET', '/v1/my/account/profile', { token })).status).toBe(401);
});

flow('a session that expired leads to the form at the next step, and from there on', async (visit) => {
  const { user } = await scene.server.register('Emmy Noether');
  const page = await visit.open('/terminals', { as: user, mayBe: REFUSED });
  await seePage(page, 'Terminals');
  // So long ago that no use of it makes it last longer.
  const expire = `update tokens set created_at = now() - interval '9 years', expires_at = now() - interval '1 second'
    where user_id = $1 and is_session`;
  // The session ends when the step is taken and what it asks is still on its way: nothing else that asks can notice first.
  let ended: Promise<unknown> | undefined;
  await page.route('**/v1/**', async (route) => {
    await (ended ??= page.waitForURL('**/projects').then(() => scene.server.query(expire, [user.id])));
    await route.continue();
  });
  await page.getByRole('link', { name: 'Projects' }).click();
  await see(page.getByText('Your session has expired.')).toBeVisible();
  await signIn(page, user);
  await seePage(page, 'Projects');
});

flow('a file is uploaded, downloaded as it was, and deleted; a token is shown once and revoked', async (visit) => {
  const { user } = await scene.server.register('Lise Meitner');
  const page = await visit.open('/account?tab=files', { as: user });
  await see(page.getByText('No files yet')).toBeVisible();
  const file = { name: 'Trend <b>.ex5', mimeType: 'application/octet-stream', buffer: Buffer.from('a program') };
  await page.getByLabel('Upload file').setInputFiles(file);
  await see(rowOf(page, 'Trend <b>.ex5')).toBeVisible();
  await see(page.getByText(/of 2 GB used/)).toBeVisible();
  await see(page.getByText(/Files 9 B/)).toBeVisible();
  await visit.assertSound(page);
  const saved = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download Trend <b>.ex5' }).click();
  const chunks: Buffer[] = [];
  for await (const chunk of await (await saved).createReadStream()) chunks.push(chunk as Buffer);
  expect(Buffer.concat(chunks).toString()).toBe('a program');
  await page.getByRole('button', { name: 'Delete Trend <b>.ex5' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete file' }).click();
  await see(page.getByText('No files yet')).toBeVisible();

  await page.getByRole('link', { name: 'API tokens' }).click();
  await page.getByRole('button', { name: 'Create token' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create token' });
  await form.getByLabel('Name').fill('price alert');
  await form.getByLabel('Delete').check();
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Create token' }).click();
  const secret = await page.getByLabel('Token', { exact: true }).inputValue();
  const read = () => scene.server.request('GET', '/v1/my/projects', { token: secret });
  expect((await read()).status).toBe(200);
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Done' }).click();
  await see(page.getByRole('dialog')).toHaveCount(0);
  expect(await page.content()).not.toContain(secret);
  await page.getByRole('button', { name: 'Create token' }).first().click();
  await form.getByLabel('Name').fill('all scopes');
  for (const box of await form.getByRole('checkbox').all()) await box.check();
  await form.getByRole('button', { name: 'Create token' }).click();
  const mighty = await page.getByLabel('Token', { exact: true }).inputValue();
  const tokens = await scene.server.request('GET', '/v1/my/account/tokens', { token: mighty });
  expect(tokens.body.data.find(({ name }: { name: string }) => name === 'all scopes').abilities).toEqual(['*']);
  await page.getByRole('button', { name: 'Done' }).click();
  await rowOf(page, 'price alert').getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByLabel('Type price alert to confirm').fill('price alert');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke token' }).click();
  // Rows behind a dialog are not found.
  await see(page.getByRole('dialog')).toHaveCount(0);
  await see(rowOf(page, 'price alert')).toHaveCount(0);
  expect((await read()).status).toBe(401);
});

flow('the bell shows events at once, and is quiet when all is read; the profile is saved', async (visit) => {
  const { user, token } = await scene.server.register('Mary Somerville');
  const page = await visit.open('/account', { as: user });
  const bell = page.getByRole('button', { name: 'Notifications, none needs attention' });
  await see(bell).toBeVisible();
  await scene.createTerminals(token, ['Bell desk']);
  await bell.click();
  await see(page.getByRole('menu')).toContainText('Bell desk is ready.');
  await scene.createTerminals(token, ['One', 'Two', 'Three']);
  await see(page.getByRole('menu')).toContainText('4 terminals are ready.');
  await visit.assertSound(page);
  await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
  await see(bell).toBeVisible();
  await page.getByRole('link', { name: 'Notifications' }).click();
  await see(page.getByRole('list', { name: 'Notifications, failures first' })).toContainText('4 terminals are ready.');
  await page.getByRole('button', { name: /^Unread/ }).click();
  await see(page.getByText('No unread notifications', { exact: true })).toBeVisible();
  await visit.assertSound(page);
  await page.getByRole('link', { name: 'Profile' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Mary Fairfax');
  await page.getByRole('button', { name: 'Save' }).click();
  await see(page.getByRole('button', { name: 'Your account: Mary Fairfax' })).toBeVisible();
  await visit.assertSound(page);
  await page.getByRole('link', { name: 'Appearance' }).click();
  await page.getByRole('radio', { name: /^Light/ }).check();
  await see(page.locator('html')).toHaveAttribute('data-theme', 'light');
  await visit.assertSound(page);
});

/** As high and wide as a finger needs; links inside of a sentence are as high as its line. */
const SMALL_TARGETS = `[...document.querySelectorAll('header a, header button, header input, nav a, .found a')]
  .filter((one) => one.checkVisibility())
  .map((one) => ({ name: one.textContent || one.name, ...one.getBoundingClientRect().toJSON() }))
  .filter(({ width, height }) => Math.min(width, height) < 24)
  .map(({ name, width, height }) => [name, width, height].join(' '))`;

flow('what is pressed on the pages of the documentation has 24 pixels', async (visit) => {
  const page = await visit.open('/docs/quickstart');
  await see(page.getByRole('heading', { level: 1 }).last()).toBeVisible();
  expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
  await page.getByLabel('Search the pages').fill('terminal');
  await page.getByRole('button', { name: 'Search' }).click();
  await see(page.locator('.found a').first()).toBeVisible();
  // With its styles, which may come later than its text.
  await page.waitForLoadState('load');
  expect(await page.evaluate<string[]>(SMALL_TARGETS)).toEqual([]);
  await visit.assertSound(page);
});
