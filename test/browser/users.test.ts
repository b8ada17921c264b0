// @module-tag browser
/** Users: an operator creates one, sets limits, suspends one and lets one in again. */
import { TaskType } from '@berth/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

type Operator = Awaited<ReturnType<HostScene['server']['registerOperator']>>;

let scene: HostScene;
let operator: Operator;
let trader: Awaited<ReturnType<HostScene['server']['register']>>;
beforeAll(async () => {
  scene = await HostScene.start({ capacity: 4 });
  operator = await scene.server.registerOperator();
  trader = await scene.server.register('Ilse Marrow');
  await scene.createTerminals(trader.token, ['Gold', 'Silver']);
});
afterAll(() => scene?.close());

const flow = useBrowser(() => scene.server.url);

flow('an operator creates a user with limits, and gets the link to set a password once', async (visit) => {
  const page = await visit.open('/users', { as: operator.user, mayBe: [/status of 422/] });
  await page.getByRole('button', { name: 'Create user' }).click();
  const form = page.getByRole('dialog', { name: 'Create user' });
  await form.getByRole('button', { name: 'Create user' }).click();
  await see(form.getByText('Enter a name of at least 3 characters.')).toBeVisible();
  await form.getByLabel('Name').fill('Suvi Karre');
  await form.getByLabel('E-mail').fill(trader.user.email);
  await form.getByLabel('Terminals').fill('5');
  await form.getByRole('button', { name: 'Create user' }).click();
  await see(form.getByText('has already been taken')).toBeVisible();
  await form.getByLabel('E-mail').fill('suvi@karre.example');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Create user' }).click();
  const ready = page.getByRole('dialog', { name: 'Send this link to the user' });
  const link = await ready.getByLabel('Link to set a password').inputValue();
  expect(link).toMatch(/^http:\/\/[^/]+\/#password=[0-9a-f-]{36}\.\w{48}$/);
  await visit.assertSound(page);
  await ready.getByRole('button', { name: 'Done' }).click();
  await see(page.getByRole('row', { name: /Suvi Karre/ })).toContainText('0 of 5');
  expect(await page.content()).not.toContain(link.split('#')[1]);
});

flow(
  'an operator suspends a user by saying why and what becomes of the terminals, and lets the user in again',
  async (visit) => {
    const page = await visit.open('/users?search=Ilse', { as: operator.user, viewport: { width: 375, height: 800 } });
    await assertNoSideScroll(page);
    await page.getByRole('button', { name: 'More actions for Ilse Marrow' }).click();
    await page.getByRole('menuitem', { name: 'Suspend…' }).click();
    const form = page.getByRole('dialog', { name: /Suspend .*Ilse Marrow/ });
    await form.getByLabel('Reason').fill('Unpaid since May');
    await form.getByRole('button', { name: 'Suspend user' }).click();
    await see(form.getByText('Choose what becomes of the terminals.')).toBeVisible();
    await form.getByRole('radio', { name: /Algo trading off/ }).check();
    await visit.assertSound(page);
    await form.getByRole('button', { name: 'Suspend user' }).click();
    const row = page.getByRole('row', { name: /Ilse Marrow/ });
    await see(row).toContainText('Suspended');
    await see(row).toContainText('Unpaid since May');
    const tasks = await scene.server.query(
      `select count(*)::int as total from tasks where user_id = $1 and type = ${TaskType.OPTIONS_AUTO_TRADE}`,
      [trader.user.id],
    );
    expect(tasks).toEqual([{ total: 2 }]);

    await page.getByRole('button', { name: 'More actions for Ilse Marrow' }).click();
    await page.getByRole('menuitem', { name: 'End suspension' }).click();
    await see(row).toContainText('Active');
  },
);

flow('an operator finds no way to suspend the own account, and others do not see the page', async (visit) => {
  const page = await visit.open(`/users?search=${encodeURIComponent(operator.user.email)}`, { as: operator.user });
  await page.getByRole('button', { name: /More actions for/ }).click();
  await see(page.getByRole('menuitem', { name: 'Suspend…' })).toHaveAttribute('aria-disabled', 'true');
  const other = await visit.open('/users', { as: trader.user });
  await see(other.getByText('Only operators see users')).toBeVisible();
  await see(other.getByRole('link', { name: 'Users' })).toHaveCount(0);
});
