// @module-tag browser
/** The page of one terminal: its head in one row, one advice, its history, and forms that say what to enter. */
import { NOT_RUNNING, TerminalStatus } from '@berth/contract';
import { toSample } from '@berth/testing';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { createTerminal } from './support/terminals.ts';

const { scene, flow } = useHostScene();

const ON = { trading_allowed: true, trading_reason: null } as const;
const REFUSED = 'Harbour-Demo refused the login (Invalid account). Log in again with the correct login and password.';
const CRASHED = { reason: `${NOT_RUNNING}: it ended. It is being started again.`, exit: { code: 139, signal: null } };

const report = (id: string, status: number, facts: object = {}) =>
  scene.host.report({ kind: 'terminal', terminal_id: id, status, ...facts } as never);

/** Somebody with one terminal, active and measured. */
const createOne = async (name: string) => {
  const { user, token, berth } = await scene.server.registerOperator();
  const [id = ''] = await scene.createTerminals(token, [name]);
  await report(id, TerminalStatus.ACTIVE, ON);
  await scene.host.sendSamples(toSample(id));
  return { user, berth, id };
};

const glanceOf = (page: Page) => page.getByRole('region', { name: 'Terminal at a glance' });
const headOf = (page: Page) => page.getByRole('main').locator('.page-head');

flow('a terminal is one row above its tabs, and shows its screenshot when the thumbnail is pressed', async (visit) => {
  const { user, id } = await createOne('Glanced');
  const page = await visit.open(`/terminals/${id}`, { as: user });
  const glance = glanceOf(page);
  await see(glance).toContainText(/Connected since\d\d:\d\d UTC/);
  await see(glance).toContainText('Algo trading is on.');
  await see(glance.locator('b')).toHaveText('on');
  const sizes = await Promise.all(
    [glance, page.getByRole('navigation', { name: 'Terminal sections' })].map((one) => one.boundingBox()),
  );
  expect(sizes[0]?.height).toBe(64);
  // Nothing but a gap is between the row and the tabs.
  expect(sizes[1]!.y - sizes[0]!.y - 64).toBeLessThan(30);
  await visit.assertSound(page);

  const screen = page.getByRole('region', { name: 'Screenshot', exact: true });
  await see(screen).toHaveCount(0);
  await glance.getByRole('button', { name: 'Show screenshot' }).click();
  await see(screen).toContainText('No screenshot yet');
  await see(page.getByRole('region', { name: 'Connection & resources' })).toBeVisible();
  await visit.assertSound(page);
  await glance.getByRole('button', { name: 'Hide screenshot' }).click();
  await see(screen).toHaveCount(0);

  await glance.getByRole('button', { name: 'Take screenshot' }).click();
  await see(screen).toBeVisible();
  await see(glance.getByRole('button', { name: 'Take screenshot' })).toHaveAttribute('aria-busy', 'true');
  await scene.fail(await scene.claim('SCREENSHOT'), { ok: false, code: 'E_UNSUPPORTED', message: 'No screen.' });
  await page.getByRole('button', { name: 'More' }).click();
  for (const name of ['Restart', 'Stop…', 'Close all positions…', 'Copy as curl'])
    await see(page.getByRole('menuitem', { name })).toBeVisible();
  await page.keyboard.press('Escape');
});

flow('status, ping and advice agree while a terminal loses its broker, crashes, and is back', async (visit) => {
  const { user, id } = await createOne('Followed');
  const page = await visit.open(`/terminals/${id}`, { as: user });
  const [head, glance] = [headOf(page), glanceOf(page)];
  await see(head).toContainText(/Active.*\d+\sms to Harbour-Demo/);
  await see(glance).toContainText(/Ping\d+\sms/);

  await report(id, TerminalStatus.DISCONNECTED, { reason: 'Harbour-Demo does not answer.' });
  await see(head).toContainText(/Disconnected.*no connection to Harbour-Demo/);
  // What was measured before stays on its way: it is not shown.
  await scene.host.sendSamples(toSample(id));
  await page.reload();
  await see(head).toContainText('Disconnected');
  for (const part of [head, glance]) expect(await part.textContent()).not.toMatch(/\d\sms/);
  const advice = page.getByRole('alert').filter({ hasText: 'Harbour-Demo does not answer.' });
  await see(advice.locator('b')).toHaveText('Harbour-Demo does not answer.');
  await see(advice).toContainText('The terminal reconnects by itself.');
  await visit.assertSound(page);

  await report(id, TerminalStatus.DISCONNECTED, CRASHED);
  await see(head).toContainText('Restarting');
  await see(glance).toContainText('Experts do not run.');
  expect(await head.textContent()).not.toMatch(/Disconnected|no connection|\d\sms/);
  await see(page.getByRole('alert')).toContainText('It is being started again.');
  await report(id, TerminalStatus.ACTIVE, ON);
  await see(head).toContainText('Active');
  await see(page.getByRole('alert')).toHaveCount(0);
});

flow('a refused login is said once, and its button leads to the form', async (visit) => {
  const { user, id } = await createOne('Refused');
  await report(id, TerminalStatus.LOGIN_FAILED, { reason: REFUSED });
  const page = await visit.open(`/terminals/${id}`, { as: user });
  const advice = page.getByRole('alert').filter({ hasText: 'refused' });
  await see(advice).toHaveText(
    /^Harbour-Demo refused the login \(Invalid account\)\. Log in again with the correct login and password\.\s*Log in…$/,
  );
  await advice.getByRole('button', { name: 'Log in…' }).click();
  const form = page.getByRole('form', { name: 'Another account' });
  await see(form.getByLabel('Password')).toBeFocused();
  await see(form).toBeInViewport();
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Why is it not running?' }).click();
  await see(page.getByRole('region', { name: 'Why is it not running?' }).getByLabel('Password')).toBeVisible();
  await see(page.getByRole('button', { name: 'Log in…' })).toHaveCount(0);
  await see(page.getByText(/^Next step:/)).toHaveCount(1);
});

/** Where a menu is in each frame, as far as that changes. */
const WATCH_MENU = `globalThis.places = new Set();
  const look = () => {
    const menu = document.querySelector('.menu')?.getBoundingClientRect();
    if (menu) places.add([menu.x, menu.y].join());
    requestAnimationFrame(look);
  };
  look();`;

flow('a menu is beside its button from its first frame on, so that no press on it is lost', async (visit) => {
  const { user, id } = await createOne('Pressed');
  const page = await visit.open(`/terminals/${id}`, { as: user });
  await page.evaluate(WATCH_MENU);
  await page.getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Stop…' }).click();
  await see(page.getByRole('dialog')).toBeVisible();
  expect(await page.evaluate('places.size')).toBe(1);
});

flow('an installation that failed says why, and its button deletes the terminal', async (visit) => {
  const { user, token } = await scene.server.register('Failed');
  const { id } = await createTerminal(scene.server, token, { name: 'Not there', login: '7700' });
  const step = { step: 'install', ok: false, code: 'E_DISK', message: 'The disk of the host is full.' } as const;
  await scene.fail(await scene.claim('TERMINAL_INSTALL'), step);
  const page = await visit.open(`/terminals/${id}`, { as: user, mayBe: [/status of 404/] });
  const advice = page.getByRole('alert');
  await see(advice).toHaveText(
    /^The disk of the host is full\. Delete the terminal and create it again\.\s*Delete terminal…$/,
  );
  await visit.assertSound(page);
  await advice.getByRole('button', { name: 'Delete terminal…' }).click();
  const confirm = page.getByRole('dialog', { name: 'Delete this terminal?' });
  await confirm.getByLabel(/to confirm$/).fill('Not there');
  await confirm.getByRole('button', { name: 'Delete terminal', exact: true }).click();
  await see(page.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
  await scene.complete(await scene.claim('TERMINAL_DESTROY'));
  await see(page.getByText('Not there')).toHaveCount(0);
  await page.goto(`${visit.url}/terminals/${id}`);
  await see(page.getByText('It was deleted, or the address is wrong.')).toBeVisible();
});

flow('the history tells what happened, newest first, follows what happens, and goes back on demand', async (visit) => {
  const { user, berth, id } = await createOne('Eventful');
  const insert = `insert into events (user_id, type, terminal_id, data, occurred_at)
    select user_id, 'task.finished', id, '{"task_id": "01a20231-e142-7245-8fd9-0e53efe0d347", "type": 3, "status": 4}',
      now() - interval '3 days' from terminals, generate_series(1, 60) where id = $1`;
  await scene.server.query(insert, [id]);
  await report(id, TerminalStatus.DISCONNECTED, CRASHED);
  await report(id, TerminalStatus.ACTIVE, ON);
  const page = await visit.open(`/terminals/${id}`, { as: user });
  await page.getByRole('link', { name: 'History' }).click();
  const main = page.getByRole('main');
  await see(main.getByText('Kept for 30 days. Times in UTC.')).toBeVisible();
  const today = page.getByRole('region', { name: /^What happened: Today/ });
  await see(today.getByRole('listitem').nth(0)).toContainText(/\d\d:\d\d:\d\dActive, connected to the broker\./);
  await see(today.getByRole('listitem').nth(1)).toContainText('Crashed with exit code 139. Restarting.');
  await visit.assertSound(page);

  await berth.tasks.create(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 0 });
  const off = { trading_allowed: false, trading_reason: 'terminal_switch' };
  await scene.complete(await scene.claim('OPTIONS_AUTO_TRADE'), { enabled: false, verified: true, ...off });
  const first = today.getByRole('listitem').first();
  await see(first).toContainText('Algo trading was turned off by a task.');
  await see(first.locator('b')).toHaveText('off');

  const rows = main.locator('.history-row');
  const before = await rows.count();
  await page.getByRole('button', { name: 'Show older entries' }).click();
  await see(main.getByText('There are no older entries.')).toBeVisible();
  expect(await rows.count()).toBeGreaterThan(before);
  await see(rows.last()).toContainText('Created.');
  await first.getByRole('button', { name: 'Details' }).click();
  await see(page.getByRole('dialog', { name: 'Algo trading' })).toBeVisible();
  await visit.assertSound(page);
});

flow('a history that is empty or cannot be read says so', async (visit) => {
  const { user, id } = await createOne('Quiet');
  await scene.server.query('delete from events where terminal_id = $1', [id]);
  const page = await visit.open(`/terminals/${id}?tab=history`, { as: user, mayBe: [/status of 400/] });
  await see(page.getByText('Nothing in the last 30 days')).toBeVisible();
  await visit.assertSound(page);
  const log = (url: URL) => url.pathname === '/v1/my/events/log';
  const body = JSON.stringify({ message: 'Not now.' });
  await page.route(log, (route) => route.fulfill({ status: 400, body, contentType: 'application/json' }));
  await page.reload();
  const retry = page.getByRole('main').getByRole('button', { name: 'Try again' });
  await see(retry).toBeVisible();
  await visit.assertSound(page);
  await page.unroute(log);
  await retry.click();
  await see(page.getByText('Nothing in the last 30 days')).toBeVisible();
});

flow('a form that lacks something says what to enter, and the first such field has the focus', async (visit) => {
  const { user, id } = await createOne('Asked');
  const page = await visit.open(`/terminals/${id}?tab=account`, { as: user, mayBe: [/status of 422/] });
  const login = page.getByRole('form', { name: 'Another account' });
  await login.getByLabel('Trading server').fill('');
  await login.getByLabel('Login').fill('');
  await login.getByRole('button', { name: 'Log in' }).click();
  await see(login.getByRole('alert')).toHaveText(['Choose a trading server.', 'Enter the login.']);
  await see(login.getByLabel('Trading server')).toBeFocused();
  await login.getByLabel('Trading server').fill('Harbour-Demo');
  await see(login.getByRole('alert')).toHaveText(['Enter the login.']);
  await visit.assertSound(page);

  const demo = page.getByRole('form', { name: 'Open demo account' });
  await demo.getByLabel('E-mail').fill('ada');
  await demo.getByLabel('Leverage').fill('1.5');
  await demo.getByRole('button', { name: 'Open demo account' }).click();
  await see(demo.getByRole('alert')).toHaveText([/^Enter an e-mail address/, 'Enter a whole number from 1 to 5,000.']);
  await see(demo.getByLabel('E-mail')).toBeFocused();

  const servers = page.getByRole('form', { name: 'Trading servers' });
  await servers.getByLabel('Server name').fill('Harbour-Live');
  await servers.getByLabel('Address').fill('no port');
  await servers.getByRole('button', { name: 'Save servers' }).click();
  await see(servers.getByRole('alert')).toHaveText(/^Enter a host and a port/);
  await see(servers.getByLabel('Address')).toBeFocused();
  // What only the server knows is said in the same way.
  await servers.getByLabel('Address').fill('trade.example.com:99999');
  await servers.getByRole('button', { name: 'Save servers' }).click();
  await see(servers.getByRole('alert')).toHaveText(/^Enter a host and a port/);
  await see(servers.getByLabel('Address')).toBeFocused();

  await page.getByRole('button', { name: 'Install expert' }).click();
  const install = page.getByRole('dialog', { name: 'Install expert' });
  await install.getByLabel('Symbol').fill('');
  await install.getByRole('button', { name: 'Install expert' }).click();
  await see(install.getByRole('alert')).toHaveText([
    'Choose an expert file.',
    /^Enter a name without/,
    /^Enter a symbol exactly as in Market Watch/,
  ]);
  await see(install.getByLabel('Expert (.ex5 or .ex4)')).toBeFocused();
  await visit.assertSound(page);
});

flow('on a telephone and at 200 % nothing is cut, and the foot of a dialog stays in sight', async (visit) => {
  const { user, id } = await createOne('A desk with a rather long name for a small telephone');
  await report(id, TerminalStatus.LOGIN_FAILED, { reason: REFUSED });
  for (const viewport of [
    { width: 375, height: 667 },
    { width: 683, height: 400 },
  ]) {
    const page = await visit.open(`/terminals/${id}`, { as: user, viewport });
    const main = page.getByRole('main');
    for (const tab of ['Tasks', 'History', 'Logs', 'Charts & experts', 'Account', 'Settings']) {
      await page.getByRole('navigation', { name: 'Terminal sections' }).getByRole('link', { name: tab }).click();
      await see(page.locator('[aria-busy="true"], .skeleton')).toHaveCount(0);
      const widths = await main.evaluate((element) => [element.scrollWidth, element.ownerDocument.body.scrollWidth]);
      expect([tab, ...widths.map((width) => width <= viewport.width)]).toEqual([tab, true, true]);
    }
    for (const box of await page.locator('.page-head .button, .glance .button').all())
      expect((await box.boundingBox())!.x).toBeGreaterThanOrEqual(0);
    await report(id, TerminalStatus.ACTIVE, ON);
    await page.getByRole('button', { name: 'Install expert' }).click();
    const send = page.getByRole('dialog').getByRole('button', { name: 'Install expert' });
    await see(send).toBeInViewport({ ratio: 1 });
    await visit.assertSound(page);
    await report(id, TerminalStatus.LOGIN_FAILED, { reason: REFUSED });
  }
});
