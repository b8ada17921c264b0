// @module-tag browser
/** Views of a list: saved, chosen, replaced and deleted; one that somebody else wrote does no harm. */
import { TerminalStatus } from '@berth/contract';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { placeTerminals } from './support/many-terminals.ts';

let scene: HostScene;
beforeAll(async () => {
  scene = await HostScene.start();
});
afterAll(() => scene?.close());
const flow = useBrowser(() => scene.server.url);

const createOwner = async () => {
  const owner = await scene.server.register('Ada Lovelace');
  await placeTerminals(scene, owner.user.id, [
    { name: 'Gold', login: '1', status: TerminalStatus.ACTIVE },
    { name: 'Silver', login: '2', status: TerminalStatus.LOGIN_FAILED, reason: 'Invalid account' },
  ]);
  return owner;
};

const toNames = (page: Page): Promise<string[]> => page.locator('.rows .row-name b').allTextContents();
const openMenu = (page: Page): Promise<void> => page.locator('.views-button:visible').click();
const entry = (page: Page, name: string) => page.getByRole('menuitemcheckbox', { name, exact: true });

flow('a view keeps filters and columns under a name, is chosen by keyboard, replaced, and deleted', async (visit) => {
  const { user, berth } = await createOwner();
  const page = await visit.open('/terminals?status=needs-attention&sort=name', { as: user });
  await see.poll(() => toNames(page)).toEqual(['Silver']);
  await page.getByRole('button', { name: /^Columns/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Region' }).click();
  await page.keyboard.press('Escape');
  await openMenu(page);
  await visit.assertSound(page);
  await page.getByRole('menuitem', { name: 'Save view…' }).click();
  const form = page.getByRole('dialog', { name: 'Save view' });
  await form.getByLabel('Name').fill('a/b');
  await form.getByRole('button', { name: 'Save' }).click();
  await see(form.getByText('without slashes')).toBeVisible();
  await form.getByLabel('Name').fill('To do');
  await form.getByRole('button', { name: 'Save' }).click();
  await see(page.getByText(/^View .*To do.* saved\.$/)).toBeVisible();
  await see(page.locator('.views-button')).toHaveText('To do');
  await see(page.locator('.views-button')).toBeFocused();

  // On another device nobody chose columns.
  await page.evaluate(`localStorage.removeItem('berth-terminal-columns')`);
  await page.goto(`${visit.url}/terminals`);
  await see.poll(() => toNames(page)).toHaveLength(2);
  await see(page.locator('.views-button')).toHaveText('Views');
  await page.locator('.views-button').focus();
  await page.keyboard.press('Enter');
  await see(entry(page, 'To do')).not.toBeChecked();
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await see(page).toHaveURL(/\?status=needs-attention&sort=name$/);
  await see.poll(() => toNames(page)).toEqual(['Silver']);
  await see(page.getByRole('columnheader', { name: 'Region' })).toBeVisible();

  await page.goto(`${visit.url}/terminals?status=active`);
  await openMenu(page);
  await page.getByRole('menuitem', { name: 'Save view…' }).click();
  await form.getByLabel('Name').fill('To do');
  await see(form.getByText('It will be replaced.')).toBeVisible();
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await see(page.locator('.views-button')).toHaveText('To do');
  expect(await berth.views.list()).toMatchObject([{ name: 'To do', query: 'status=active' }]);

  await berth.views.save('Other', { page: 'terminals', query: 'status=failed' });
  await page.reload();
  await openMenu(page);
  await see(entry(page, 'To do')).toBeChecked();
  await page.getByRole('menuitem', { name: 'Delete view…' }).click();
  const question = page.getByRole('dialog', { name: 'Delete view' });
  await see(question.getByLabel('View')).toHaveValue('To do');
  await question.getByLabel('View').selectOption('Other');
  await visit.assertSound(page);
  await question.getByRole('button', { name: 'Delete' }).click();
  await see(page.getByText(/^View .*Other.* deleted\.$/)).toBeVisible();
  await see(page.locator('.views-button')).toHaveText('To do');
  expect(await berth.views.list()).toMatchObject([{ name: 'To do' }]);
});

flow('the page takes of a view what it knows, whatever that holds; each list has its own views', async (visit) => {
  const { user, berth } = await createOwner();
  const hostile =
    'status=active&create=true&snapshot=x&page=9&__proto__=%7B%22tag%22%3A%22x%22%7D&sort=%3Cscript%3E&region=%22x%22';
  await berth.views.save('Odd', { page: 'terminals', query: hostile, columns: ['equity', 'evil', 'constructor'] });
  await berth.views.save('Failed', { page: 'tasks', query: 'status=failed&task=x' });
  const page = await visit.open('/terminals', { as: user, viewport: { width: 375, height: 700 } });
  await openMenu(page);
  await see(page.getByRole('menuitemcheckbox')).toHaveText(['Odd']);
  await entry(page, 'Odd').click();
  await see(page).toHaveURL(/\/terminals\?status=active$/);
  await see.poll(() => toNames(page)).toEqual(['Gold']);
  await see(page.getByRole('dialog')).toHaveCount(0);
  await visit.assertSound(page);
  await page.goto(`${visit.url}/tasks`);
  await openMenu(page);
  await entry(page, 'Failed').click();
  await see(page).toHaveURL(/\/tasks\?status=failed$/);
});
