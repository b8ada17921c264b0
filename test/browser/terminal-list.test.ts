// @module-tag browser
/** The list of terminals, with three hundred of them: what comes first, what is said of each, and how one moves in it. */
import { LOGGED_OUT, TerminalStatus } from '@berth/contract';
import type { TestAccount } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { placeTerminals, type PlacedTerminal } from './support/many-terminals.ts';

const { PENDING, ACTIVE, STOPPED, DISCONNECTED, LOGIN_FAILED } = TerminalStatus;
const LAPTOP = { width: 1366, height: 850 };
const REASON =
  'The terminal does not know the trading server: it did not try to connect. Correct its name, or add it with its address.';

const toMany = (word: string, count: number, place: Omit<PlacedTerminal, 'name'>): PlacedTerminal[] =>
  Array.from({ length: count }, (_, index) => ({ name: `${word} ${index + 100}`, login: `${index + 100}`, ...place }));

let scene: HostScene;
let owner: TestAccount;
let failedId: string;
beforeAll(async () => {
  scene = await HostScene.start();
  owner = await scene.server.register('Ada Lovelace');
  [failedId = ''] = await placeTerminals(scene, owner.user.id, [
    { name: '7010', serverName: 'Unknown-Broker', status: LOGIN_FAILED, reason: REASON },
    { name: 'Link', login: '7011', status: DISCONNECTED, reason: 'No connection to Harbour-Demo.' },
    ...toMany('Queue', 190, { status: PENDING, serverName: 'Queue-Demo' }),
    ...toMany('Grid', 100, { status: ACTIVE, tradingAllowed: false }),
    ...toMany('Idle', 8, { status: STOPPED, serverName: 'Idle-Demo', reason: LOGGED_OUT }),
  ]);
});
afterAll(() => scene?.close());

const flow = useBrowser(() => scene.server.url);

const rowsOf = (page: Page): Locator => page.locator('.rows tr');
const toNames = (page: Page): Promise<string[]> => rowsOf(page).locator('.row-name b').allTextContents();
const toBox = async (what: Locator) => (await what.boundingBox())!;

flow(
  'what needs attention comes first, in the list and above it; a column that somebody chooses wins',
  async (visit) => {
    const page = await visit.open('/terminals', { as: owner.user, viewport: LAPTOP });
    await see(rowsOf(page)).toHaveCount(50);
    const [first, second, third] = await toNames(page);
    expect([first, second, third?.split(' ')[0]]).toEqual(['7010', 'Link', 'Queue']);

    const chips = page.getByRole('group', { name: 'Filter by status' }).getByRole('button');
    await see(chips).toHaveText(['Needs attention 2', 'All 300', 'Installing 190', 'Active 100', 'Logged out 8']);
    await see(chips.first().locator('[data-urgent]')).toHaveCount(1);
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Terminal', exact: true }).click();
    await see(rowsOf(page).first()).toContainText('7010');
    await see(rowsOf(page).nth(1)).toContainText('Grid 100');
    await chips.nth(4).click();
    await see(rowsOf(page)).toHaveCount(8);
    await see(rowsOf(page).first()).toContainText('Logged out');
  },
);

flow('the table begins high, keeps its head in sight, and its columns stay where they are', async (visit) => {
  const page = await visit.open('/terminals', { as: owner.user, viewport: LAPTOP });
  await see(rowsOf(page)).toHaveCount(50);
  expect((await toBox(page.locator('.list-sheet'))).y).toBeLessThanOrEqual(110);
  const heads = page.getByRole('columnheader');
  const toPlaces = async () => (await Promise.all((await heads.all()).map(toBox))).map(({ x, width }) => [x, width]);
  const places = await toPlaces();
  await see(page.getByRole('columnheader', { name: 'Algo Trading' })).toBeInViewport({ ratio: 1 });
  await page.mouse.wheel(0, 1200);
  await see.poll(async () => (await toBox(heads.nth(1))).y).toBe(0);
  await page.getByRole('button', { name: 'Next' }).click();
  await see(page.getByText('51–100 of 300')).toBeVisible();
  // The second click of a double click turns a page, too.
  await page.getByRole('button', { name: 'Next' }).dispatchEvent('click', { detail: 2 });
  await see(page.getByText('101–150 of 300')).toBeVisible();
  await page.getByRole('group', { name: 'Filter by status' }).getByRole('button', { name: 'Active' }).click();
  await see(rowsOf(page).first()).toContainText('Grid');
  expect(await toPlaces()).toEqual(places);
});

flow('a page has as many rows as somebody chose, all three hundred too, and has them the next time', async (visit) => {
  const page = await visit.open('/terminals?page=2', { as: owner.user, viewport: LAPTOP });
  await see(page.getByText('51–100 of 300')).toBeVisible();
  await page.getByLabel('Rows per page').selectOption('100');
  await see(page.getByText('1–100 of 300')).toBeVisible();
  await page.getByLabel('Rows per page').selectOption('300');
  await see(rowsOf(page)).toHaveCount(300);
  expect(new Set(await toNames(page)).size).toBe(300);
  await see(page.getByText('1–300 of 300')).toBeVisible();
  await page.reload();
  await see(rowsOf(page)).toHaveCount(300);
});

flow('a reason is whole, and the row leads to the form that fixes it', async (visit) => {
  const page = await visit.open('/terminals', { as: owner.user, viewport: LAPTOP });
  const row = rowsOf(page).filter({ hasText: '7010' });
  const reason = row.locator('.status-reason');
  await see(reason).toHaveText(REASON);
  const sizes = await reason.evaluate(({ scrollHeight, clientHeight }) => [scrollHeight, clientHeight]);
  expect(sizes[0]).toBe(sizes[1]);
  await see(page.getByRole('columnheader', { name: 'Screenshot' })).toHaveCount(0);
  await see(row.getByText('7010', { exact: true })).toHaveCount(1);
  const remedy = row.getByRole('link', { name: 'Add server…' });
  await see(remedy).toHaveCSS('opacity', '0');
  await row.hover();
  await see(remedy).toHaveCSS('opacity', '1');
  await page.mouse.move(0, 0);
  await remedy.focus();
  await see(remedy).toHaveCSS('opacity', '1');
  await remedy.press('Enter');
  await see(page).toHaveURL(new RegExp(`/terminals/${failedId}\\?tab=account`));
});

flow('what is loading is not said to be unknown, and the columns are there before it', async (visit) => {
  const page = await visit.open('/sign-in', { as: owner.user, viewport: LAPTOP });
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/(terminals|accounts)\/overview\?/, async (route) => {
    await held;
    await route.continue();
  });
  await page.goto(`${visit.url}/terminals?status=active`);
  const trading = rowsOf(page).first().locator('.col-trading');
  await see(trading.locator('.skeleton')).toBeVisible();
  await see(trading).not.toContainText('–');
  const heads = await page.getByRole('columnheader').allTextContents();
  expect(heads).toContain('Trading server');
  const answered = page.waitForResponse(/\/accounts\/overview\?/);
  release();
  await answered;
  await see(trading).toHaveText('off');
  expect(await page.getByRole('columnheader').allTextContents()).toEqual(heads);
});

flow('J and K move through the rows, X selects, Enter opens, and / searches wherever the focus is', async (visit) => {
  const page = await visit.open('/terminals', { as: owner.user, viewport: LAPTOP });
  await see(rowsOf(page)).toHaveCount(50);
  const link = (index: number): Locator => rowsOf(page).nth(index).locator('.row-link');
  for (const index of [0, 1, 2]) {
    await page.keyboard.press('j');
    await see(link(index)).toBeFocused();
  }
  await page.keyboard.press('k');
  await see(link(1)).toBeFocused();
  await page.keyboard.press('x');
  await see(rowsOf(page).nth(1).getByRole('checkbox')).toBeChecked();
  await see(page.getByText('1 selected').first()).toBeVisible();
  await visit.assertSound(page);

  await page.getByLabel('Rows per page').focus();
  await page.keyboard.press('?');
  await see(page.getByRole('dialog', { name: 'Keyboard shortcuts' })).toContainText('Next row of a list');
  await page.keyboard.press('j');
  await page.keyboard.press('/');
  await see(page.locator('input[type=search]')).not.toBeFocused();
  await page.keyboard.press('Escape');
  await see(page.getByRole('dialog')).toHaveCount(0);
  await page.getByLabel('Rows per page').focus();
  await page.keyboard.press('/');
  await see(page.getByRole('searchbox')).toBeFocused();
  await page.keyboard.type('jk/x?');
  await see(page.getByRole('searchbox')).toHaveValue('jk/x?');
  await page.getByRole('searchbox').fill('');
  await link(0).focus();
  await page.keyboard.press('Enter');
  await see(page.getByRole('heading', { level: 1 })).toHaveText('7010');
});

flow('a phone has cards below three rows, and region, order and columns in a sheet', async (visit) => {
  const page = await visit.open('/terminals', { as: owner.user, viewport: { width: 375, height: 740 } });
  await see(rowsOf(page)).toHaveCount(50);
  expect((await toBox(rowsOf(page).first())).y).toBeLessThanOrEqual(180);
  await page.getByRole('button', { name: 'Filter', exact: true }).click();
  const sheet = page.getByRole('dialog', { name: 'Filter and sort' });
  await visit.assertSound(page);
  await sheet.getByLabel('Sort by').selectOption('Name');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await see(page.getByRole('button', { name: 'Filter (1)' })).toBeVisible();
  await see(rowsOf(page).nth(1)).toContainText('Grid 100');
  const trading = rowsOf(page).nth(1).locator('.col-trading');
  await see(trading).toHaveText('off');
  const label = await page.evaluate(`getComputedStyle(document.querySelector('td.col-trading'), '::before').content`);
  expect(label).toBe('"Algo Trading"');
  await visit.assertSound(page);
});

flow(
  'at 200 % zoom there are cards, bars scroll with the page, and a dialog keeps its buttons in sight',
  async (visit) => {
    const page = await visit.open('/terminals', { as: owner.user, viewport: { width: 683, height: 425 } });
    await see(rowsOf(page)).toHaveCount(50);
    const [first, second] = await Promise.all([0, 1].map((index) => toBox(rowsOf(page).nth(index))));
    expect([second!.y, second!.x > first!.x + first!.width]).toEqual([first!.y, true]);
    expect(await page.locator('html').evaluate(({ scrollWidth }) => scrollWidth)).toBeLessThanOrEqual(683);
    const bar = page.getByRole('navigation', { name: 'Main' });
    await see(bar).toBeInViewport();
    await page.mouse.wheel(0, 800);
    await see(bar).not.toBeInViewport();
    await page.mouse.wheel(0, -800);
    await page.getByRole('button', { name: 'Create terminal' }).click();
    const dialog = page.getByRole('dialog', { name: 'Create terminal' });
    await see(dialog.getByRole('button', { name: 'Create terminal' })).toBeInViewport({ ratio: 1 });
    await visit.assertSound(page);
  },
);
