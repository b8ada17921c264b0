// @module-tag browser
/** The audit log: what an operator finds there, by filters that are in the address; and what a user finds in Account. */
import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

let scene: HostScene;
let operator: Awaited<ReturnType<HostScene['server']['registerOperator']>>;
let trader: Awaited<ReturnType<HostScene['server']['register']>>;
beforeAll(async () => {
  scene = await HostScene.start({ capacity: 4 });
  operator = await scene.server.registerOperator();
  trader = await scene.server.register('Ilse Marrow');
  const { id } = await trader.berth.projects.create({ name: 'Metals' });
  await trader.berth.projects.update(id, { name: '=Gold' });
  await operator.berth.operator.users.update(trader.user.id, { plan: 3 });
});
afterAll(() => scene?.close());

const flow = useBrowser(() => scene.server.url);

flow('an operator finds who changed what, narrows it by action, person and day, and saves it as CSV', async (visit) => {
  const page = await visit.open('/terminals', { as: operator.user });
  await page.getByRole('navigation').getByRole('link', { name: 'Audit log' }).click();
  await see(page.getByRole('heading', { name: 'Audit log', level: 1 })).toBeVisible();
  const change = page.getByRole('row', { name: /project\.update/ });
  await see(change).toContainText('Ilse Marrow');
  await see(change).toContainText('Metals');
  await see(change).toContainText('=Gold');
  await visit.assertSound(page);
  await change.getByRole('button', { name: 'Only project.update' }).click();
  await see(page.getByRole('row', { name: /project\.create/ })).toHaveCount(0);
  expect(new URL(page.url()).search).toBe('?action=project.update');
  await page.getByRole('button', { name: 'Show all' }).click();
  const plan = page.getByRole('row', { name: /user\.update/ });
  await see(plan).toContainText('operator');
  await plan.getByRole('button', { name: /^Only by/ }).click();
  await see(page.getByRole('row', { name: /project\.create/ })).toHaveCount(0);
  await page.getByRole('button', { name: 'Show all' }).click();
  const search = page.getByRole('searchbox', { name: 'Search by action or ID' });
  await search.fill('Nobody of this name');
  await see(page.getByText('names of users and hosts can be searched')).toBeVisible();
  await see(page.getByRole('row')).toHaveCount(0);
  await search.fill('suspend');
  await page.getByRole('button', { name: 'User changed, suspended or no longer suspended' }).click();
  await see(plan).toBeVisible();
  await see(change).toHaveCount(0);
  await search.fill('marrow');
  await page.getByRole('button', { name: /^What Ilse Marrow did/ }).click();
  await see(change).toBeVisible();
  await see(plan).toHaveCount(0);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Project created');
  await see(change).toHaveCount(0);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByLabel('To', { exact: true }).fill('2020-01-01');
  await see(page.getByText('Nothing matches')).toBeVisible();
  await page.getByLabel('To', { exact: true }).fill('');
  await see(change).toBeVisible();
  await page.getByRole('button', { name: 'Export' }).click();
  const [saved] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: 'CSV' }).click(),
  ]);
  expect(saved.suggestedFilename()).toMatch(/^audit-log-\d{4}-\d\d-\d\d\.csv$/);
  const text = await readFile(await saved.path(), 'utf8');
  expect(text).toContain('project.update');
  expect(text).toContain(trader.user.id);
});

flow('a user finds on the page Account what he and operators did, without who they were', async (visit) => {
  const page = await visit.open('/account', { as: trader.user, viewport: { width: 375, height: 800 } });
  await page.getByRole('link', { name: 'Audit log' }).click();
  const row = page.getByRole('row', { name: /user\.update/ });
  await see(row).toContainText('Operator');
  await see(page.getByRole('row', { name: /project\.update/ })).toContainText('You');
  expect(await page.content()).not.toContain(operator.user.id);
  await assertNoSideScroll(page);
  await visit.assertSound(page);
  await page.getByRole('searchbox', { name: 'Search by action or ID' }).fill('project.create');
  await see(row).toHaveCount(0);
  await see(page.getByRole('row', { name: /project\.create/ })).toBeVisible();
  expect(new URL(page.url()).search).toBe('?tab=audit&action=project.create');
});
