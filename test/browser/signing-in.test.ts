// @module-tag browser
/** Coming in and going out, in real browsers, against a server with its local hosts. */
import { gzipSync } from 'node:zlib';
import { logInOperator, TEST_PASSWORD, useTestStack } from '@berth/testing';
import { expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { assertNoSideScroll, signIn } from './support/page.ts';

const stack = useTestStack();

const flow = useBrowser(() => stack.url);

/** What the browser writes into its console when an answer is a refusal. */
const REFUSED = [/status of 40[0134]/, /status of 422/];

/** Nothing of it has to be known before: every step is offered by the page that the step before leads to. */
flow('the printed link leads the operator to a terminal, an expert on its chart and its screenshot', async (visit) => {
  const [, path = ''] = await stack.server.waitForLine(/Sign in +http:\/\/[^/]+(\/#sign-in=\S+)/);
  const page = await visit.open(path);
  await page.getByRole('button', { name: 'Create sandbox terminal' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Sandbox' });
  await see(row).toContainText('Active');
  expect(page.url()).toBe(`${visit.url}/terminals`);
  expect(await page.evaluate<number>('history.length')).toBeLessThanOrEqual(3);

  await row.getByRole('link').first().click();
  await page.getByRole('button', { name: 'Install expert' }).click();
  const form = page.getByRole('dialog', { name: 'Install expert' });
  const file = { name: 'Trend Follower.ex5', mimeType: 'application/octet-stream', buffer: Buffer.from('a program') };
  await form.getByLabel('Expert (.ex5 or .ex4)').setInputFiles(file);
  await form.getByRole('button', { name: 'Install expert' }).click();
  await page.getByRole('link', { name: 'Charts & experts' }).click();
  const card = page.getByRole('main').locator('.chart-card').filter({ hasText: 'Trend Follower' });
  await see(card).toContainText('Running');
  await page.getByRole('button', { name: 'Take screenshot' }).click();
  await see(page.getByRole('img', { name: 'Screenshot', exact: true })).toHaveAttribute('data-state', 'shown');
  await visit.assertSound(page);

  const thief = await visit.open(path, { mayBe: REFUSED });
  await see(thief.getByRole('heading', { name: 'Link expired or already used' })).toBeVisible();
  await thief.getByRole('link', { name: 'Sign in with your password' }).click();
  await see(thief.getByRole('button', { name: 'Sign in' })).toBeVisible();
  expect(await thief.context().cookies()).toEqual([]);
});

flow('a new account is made by its form, and leaves no secret where a script could read it', async (visit) => {
  const page = await visit.open('/');
  await visit.assertSound(page);
  await page.getByRole('link', { name: 'Create account' }).click();
  await page.getByLabel('Name').fill('Grace Hopper');
  await page.getByLabel('E-mail').fill('grace@example.com');
  await page.getByLabel('Password').fill(TEST_PASSWORD);
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Create account' }).click();
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  const readable = await page.evaluate<string>(
    'JSON.stringify({ ...localStorage }) + JSON.stringify({ ...sessionStorage }) + document.cookie',
  );
  expect(readable).not.toMatch(/[\w-]{24,}/);
  const cookies = await page.context().cookies();
  expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite])).toEqual([
    ['berth-session', true, 'Lax'],
  ]);
});

flow('a user whom an operator has made sets a password with the link, and signs in with it', async (visit) => {
  const { berth } = await logInOperator(stack);
  const made = await berth.operator.users.create({ name: 'Edith Clarke', email: 'edith@example.com' });
  const path = `/#${made.password_link.url.split('#')[1]}`;
  const page = await visit.open(path, { mayBe: REFUSED });
  await see(page.getByRole('heading', { name: 'Set password' })).toBeVisible();
  expect(page.url()).toBe(`${visit.url}/set-password`);
  await page.getByLabel('Password').fill('password');
  await page.getByRole('button', { name: 'Set password' }).click();
  await see(page.getByText('This password is one of the most common ones')).toBeVisible();
  await visit.assertSound(page);
  await page.getByLabel('Password').fill(TEST_PASSWORD);
  await page.getByRole('button', { name: 'Set password' }).click();
  await see(page.getByText('Sign in with the new one.')).toBeVisible();
  await page.getByLabel('E-mail').fill('edith@example.com');
  await page.getByLabel('Password').fill(TEST_PASSWORD);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();

  const late = await visit.open(path, { mayBe: REFUSED });
  await late.getByLabel('Password').fill(TEST_PASSWORD);
  await late.getByRole('button', { name: 'Set password' }).click();
  await see(late.getByText('The link was used before or has expired.')).toBeVisible();
});

flow(
  'who forgot a password is told that this server sends no mail, and that a common password will not do',
  async (visit) => {
    const user = await stack.register('Forgetful');
    const page = await visit.open('/forgot-password', { mayBe: REFUSED });
    await see(page.getByText('This server sends no e-mail.')).toBeVisible();
    await page.getByLabel('E-mail').fill(user.user.email);
    await page.getByRole('button', { name: 'Send code' }).click();
    await see(page.getByLabel('Code')).toBeVisible();
    await see(page.getByText('This server sends no e-mail.')).toBeVisible();
    await page.getByLabel('Code').fill('ABCDE-FGHJK');
    await page.getByLabel('New password', { exact: true }).fill('password');
    await page.getByLabel('Confirm new password').fill('password');
    await page.getByRole('button', { name: 'Set new password' }).click();
    await see(page.getByText('This password is one of the most common ones')).toBeVisible();
  },
);

flow(
  'a wrong password is refused with a sentence, and the keyboard alone suffices for the right one',
  async (visit) => {
    const { user } = await stack.register('Ada Lovelace');
    const page = await visit.open('/sign-in', { mayBe: REFUSED });
    await see(page.getByLabel('E-mail')).toBeFocused();
    await page.keyboard.type(user.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type('not the password');
    await page.keyboard.press('Enter');
    await see(page.getByRole('alert').first()).toBeVisible();
    await see(page.getByRole('button', { name: 'Sign in' })).toBeEnabled();
    await page.getByLabel('Password').focus();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.type(user.password);
    await page.keyboard.press('Enter');
    await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
    await page.keyboard.press('ControlOrMeta+K');
    await see(page.getByRole('dialog', { name: 'Commands' })).toBeVisible();
    await visit.assertSound(page);
    await page.keyboard.press('Escape');
    await see(page.getByRole('dialog')).toHaveCount(0);
  },
);

flow('a session that is revoked elsewhere leads to the form, and from there back to where it was', async (visit) => {
  const { user, berth } = await stack.register('Mary Somerville');
  const page = await visit.open('/terminals?search=harbour', { as: user, mayBe: REFUSED });
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  const sessions = await berth.account.sessions.list().toArray();
  expect(sessions).toHaveLength(1);
  await berth.account.sessions.delete(sessions[0]!.id);
  await see(page.getByText('Your session has expired.')).toBeVisible();
  await signIn(page, user);
  await see(page).toHaveURL(/\/terminals\?search=harbour$/);
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
});

flow('who signs out in one tab is signed out in the other, and the way back shows nothing', async (visit) => {
  const { user } = await stack.register('Emmy Noether');
  const first = await visit.open('/terminals', { as: user, mayBe: REFUSED });
  const second = await visit.open('/terminals', { beside: first, mayBe: REFUSED });
  await see(second.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  await first.bringToFront();
  await first.getByRole('button', { name: /Your account/ }).click();
  await first.getByRole('menuitem', { name: 'Sign out' }).click();
  await see(first.getByText('You have signed out.')).toBeVisible();
  await see(second.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await first.goBack();
  await see(first.getByRole('button', { name: 'Sign in' })).toBeVisible();
});

flow('a phone is wide enough for the form and for an empty list', async (visit) => {
  const { user } = await stack.register('Lise Meitner');
  const page = await visit.open('/sign-in', { viewport: { width: 375, height: 720 }, colorScheme: 'light' });
  await see(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  await assertNoSideScroll(page);
  await visit.assertSound(page);
  await signIn(page, user);
  await see(page.getByRole('button', { name: 'Create sandbox terminal' })).toBeVisible();
  await assertNoSideScroll(page);
});

flow('what a browser loads to sign in, and for the list of terminals, stays within the budget', async (visit) => {
  const { user } = await stack.register('Sofya Kovalevskaya');
  const page = await visit.open('/sign-in');
  const loaded = new Set<string>();
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.endsWith('.js')) loaded.add(pathname);
  });
  const toKilobytes = async (): Promise<number> => {
    const files = await Promise.all([...loaded].map((path) => stack.request('GET', path)));
    return files.reduce((sum, { bytes }) => sum + gzipSync(bytes, { level: 9 }).length, 0) / 1000;
  };
  await page.reload();
  await see(page.getByRole('button', { name: 'Sign in' })).toBeVisible();
  const forSigningIn = await toKilobytes();
  expect(forSigningIn).toBeGreaterThan(60);
  expect(forSigningIn).toBeLessThanOrEqual(106);
  await signIn(page, user);
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  loaded.clear();
  await page.reload();
  await see(page.getByRole('button', { name: 'Create sandbox terminal' })).toBeVisible();
  const forTerminals = await toKilobytes();
  expect(forTerminals).toBeGreaterThan(forSigningIn);
  expect(forTerminals).toBeLessThanOrEqual(200);
});
