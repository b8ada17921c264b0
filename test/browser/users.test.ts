// @module-tag browser
/** Users: an operator creates one, sets limits, suspends one and lets one in again. */
import { TaskType } from '@berth/contract';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { assertNoSideScroll, signIn } from './support/page.ts';

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
  'an operator suspends a user, whose open page then leads to the form and says so, and lets the user in again',
  async (visit) => {
    const suspended = 'This account is suspended. Ask your administrator, or sign in with another account.';
    const open = await visit.open('/projects', { as: trader.user, mayBe: [/status of 403/] });
    await see(open.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
    const page = await visit.open('/users?search=Ilse', { as: operator.user, viewport: { width: 375, height: 800 } });
    await assertNoSideScroll(page);
    await see(page.locator('[data-label="Storage"]')).toBeVisible();
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

    await see(open.getByText(suspended)).toBeVisible();
    await open.goto(`${visit.url}/projects`);
    await see(open.getByText(suspended)).toBeVisible();
    await visit.assertSound(open);
    await signIn(open, trader.user);
    await see(open.getByRole('alert')).toContainText('This account is suspended.');

    await page.getByRole('button', { name: 'More actions for Ilse Marrow' }).click();
    await page.getByRole('menuitem', { name: 'End suspension' }).click();
    await see(row).toContainText('Active');
    await signIn(open, trader.user);
    await see(open).toHaveURL(/\/projects$/);
    await see(open.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
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

flow(
  'an owner gives the password again in one dialog before what reveals or destroys, and what was asked for goes on',
  async (visit) => {
    const page = await visit.open('/users?search=Ilse', {
      as: operator.user,
      mayBe: [/status of 403/, /status of 422/],
    });
    const forget = () =>
      scene.server.query('update tokens set confirmed_at = null where user_id = $1', [operator.user.id]);
    await forget();
    await page.getByRole('button', { name: 'More actions for Ilse Marrow' }).click();
    await page.getByRole('menuitem', { name: 'Make password link…' }).click();
    await page.getByRole('button', { name: 'Make link' }).click();
    const asked = page.getByRole('dialog', { name: 'Enter your password' });
    await asked.getByRole('button', { name: 'Continue' }).click();
    await see(asked.getByText('Enter your password.')).toBeVisible();
    await asked.getByLabel('Password').fill('wrong');
    await asked.getByRole('button', { name: 'Continue' }).click();
    await see(asked.getByText('Password is incorrect.')).toBeVisible();
    await visit.assertSound(page);
    await asked.getByLabel('Password').fill(operator.user.password);
    await asked.getByRole('button', { name: 'Continue' }).click();
    const ready = page.getByRole('dialog', { name: 'Send this link to the user' });
    await see(ready.getByLabel('Link to set a password')).toHaveValue(/#password=/);
    await ready.getByRole('button', { name: 'Done' }).click();

    const choose = async (action: string) => {
      await page.getByRole('button', { name: 'More actions for Ilse Marrow' }).click();
      await page.getByRole('menuitem', { name: action }).click();
    };
    await choose('Change role…');
    await page.getByRole('radio', { name: /Viewer/ }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: /Ilse Marrow/ });
    await see(row).toContainText('Viewer');

    const viewer = await visit.open('/users?search=Ilse', { as: trader.user, mayBe: [/status of 403/] });
    const create = viewer.getByRole('button', { name: 'Create user' });
    await see(create).toHaveAttribute('aria-disabled', 'true');
    await see(create).toHaveAccessibleDescription(/Viewers can’t change anything/);

    await forget();
    await choose('Close account…');
    const form = page.getByRole('dialog', { name: /Close the account of .*Ilse Marrow/ });
    await form.getByLabel('Reason').fill('Left in June');
    await form.getByRole('button', { name: 'Close account' }).click();
    await asked.getByRole('button', { name: 'Cancel' }).click();
    await see(form.getByText('Enter your password again to do this.')).toBeVisible();
    await form.getByRole('button', { name: 'Close account' }).click();
    await asked.getByLabel('Password').fill(operator.user.password);
    await asked.getByRole('button', { name: 'Continue' }).click();
    await see(row).toContainText('Closed');
    await see(row).toContainText('Removed on');
    await choose('Reopen account');
    await see(row).toContainText('Suspended');
  },
);

flow(
  'somebody whom an operator invited creates an account with the link, and revoked invitations are gone',
  async (visit) => {
    const page = await visit.open('/users', { as: operator.user });
    const invite = async () => {
      await page.getByRole('button', { name: 'Invite…' }).click();
      await page.getByRole('button', { name: 'Make invitation' }).click();
      const ready = page.getByRole('dialog', { name: 'Send this link' });
      const link = await ready.getByLabel('Link to create an account').inputValue();
      await visit.assertSound(page);
      await ready.getByRole('button', { name: 'Done' }).click();
      return link;
    };
    const link = new URL(await invite());
    const guest = await visit.open(`/${link.hash}`);
    await see(guest.getByRole('heading', { name: 'Create your account' })).toBeVisible();
    expect(guest.url()).not.toContain('#');
    await guest.getByLabel('Name').fill('Mary Ward');
    await guest.getByLabel('E-mail').fill('mary@ward.example');
    await guest.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await visit.assertSound(guest);
    await guest.getByRole('button', { name: 'Create account' }).click();
    await see(guest.getByRole('heading', { name: 'Terminals', exact: true })).toBeVisible();

    const named = await scene.server.request('POST', '/v1/operator/invitations', {
      token: operator.token,
      body: { email: 'ben@example.com' },
    });
    const { url } = named.body.data as { url: string };
    const ben = await visit.open(`/${new URL(url).hash}`, { mayBe: [/status of 422/] });
    await ben.getByLabel('Name').fill('Ben Okri');
    await ben.getByLabel('E-mail').fill('other@example.com');
    await ben.getByLabel('Password', { exact: true }).fill('correct horse battery');
    await ben.getByRole('button', { name: 'Create account' }).click();
    await see(ben.getByText('This invitation is for ben@example.com.')).toBeVisible();
    await see(ben.getByLabel('E-mail')).toBeFocused();
    await ben.getByLabel('E-mail').fill('');
    await ben.getByRole('button', { name: 'Create account' }).click();
    await see(ben.getByRole('heading', { name: 'Terminals', exact: true })).toBeVisible();

    await invite();
    await page.getByRole('button', { name: 'Revoke the invitation for Anybody with the link' }).click();
    await see(page.getByText('Invitation revoked.')).toBeVisible();
    await see(page.getByRole('table', { name: 'Open invitations' })).toHaveCount(0);
  },
);
