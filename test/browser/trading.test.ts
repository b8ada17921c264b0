// @module-tag browser
/** The money of a terminal: live figures, the chart, positions and deals, what is old, and what there is not yet. */
import { readFile } from 'node:fs/promises';
import { TerminalStatus, type AccountState } from '@berth/contract';
import { toAccountState, toDeal, waitFor, type TestAccount } from '@berth/testing';
import type { Page } from '@playwright/test';
import { beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const PHONE = { width: 375, height: 720 };
const MINUTE_MS = 60_000;

const { scene, flow } = useHostScene();
let owner: TestAccount;
let ids: string[];
let sequence = 0;

/** The state of a terminal's account a second after the one before; its host counts them. */
const send = async (index: number, changes: Partial<AccountState>): Promise<void> => {
  sequence += 1;
  const state = toAccountState({ ...changes, sequence });
  const report = { terminal_id: ids[index] ?? '', login: `${index}`, state };
  const isTaken = async (): Promise<boolean> => (await scene.host.sendAccounts(report)).too_soon.length === 0;
  await waitFor(isTaken, { what: 'the account to be taken' });
};

const position = {
  ticket: '900719925474099312',
  symbol: 'GBPUSD',
  side: 'sell' as const,
  volume: '0.80',
  open_price: '1.27290',
  price: '1.27232',
  stop_loss: '1.27910',
  take_profit: null,
  swap: '0.71',
  profit: '46.40',
  magic: '0',
  comment: 'Range 2.1',
  opened_at: new Date(Date.now() - MINUTE_MS).toISOString(),
};

const withPositions = {
  ...{ balance: '10000.00', equity: '9670.60', profit: '-329.40', margin: '120.00', free_margin: '9550.60' },
  ...{ margin_level: '8058.83', positions_total: 2, orders_total: 1 },
  positions: [
    position,
    {
      ...position,
      ticket: '2',
      symbol: 'EURUSD',
      side: 'buy' as const,
      volume: '1.50',
      swap: '0.00',
      profit: '-376.51',
    },
  ],
  orders: [
    {
      ...{ ticket: '7', symbol: 'XAUUSD', type: 'sell_stop' as const, volume: '0.30', price: '2768.50' },
      ...{ stop_loss: null, take_profit: null, magic: '4', comment: '', placed_at: position.opened_at },
    },
  ],
};

const deals = [
  toDeal(1, { side: 'balance', symbol: '', entry: 'in', profit: '10000.00', commission: '0.00', comment: '=1+1' }),
  toDeal(2, { entry: 'in', side: 'buy', profit: '0.00', commission: '-3.50', comment: '=HYPERLINK("http://x")' }),
  toDeal(3, { entry: 'out', profit: '-177.50', commission: '-1.75', swap: '-0.10', comment: 'a, "b"' }),
];

const sendDeals = (after: string | null, sent: typeof deals): Promise<unknown> =>
  scene.host.sendAccounts({
    terminal_id: ids[0] ?? '',
    login: '0',
    deals: { after, deals: sent, is_complete: true, complete_until: new Date().toISOString() },
  });

beforeAll(async () => {
  owner = await scene.server.register('Ada Lovelace');
  ids = await scene.createTerminals(owner.token, ['Gold', 'Silver', 'Copper']);
  await send(0, withPositions);
  await sendDeals(null, deals);
});

const open = (index: number): string => `/terminals/${ids[index]}?tab=trading`;
const key = (page: Page, name: string) => page.locator('.key').filter({ has: page.getByText(name, { exact: true }) });

flow('figures, positions and deals are shown with exact sums, and follow their events', async (visit) => {
  const page = await visit.open(open(0), { as: owner.user });
  await see(key(page, 'Equity')).toContainText('9,670.60');
  await see(key(page, 'Floating P/L')).toContainText('−329.40');
  await see(key(page, 'Floating P/L')).toContainText('2 positions, 2.30 lots');
  const positions = page.getByRole('region', { name: 'Positions' });
  await see(positions.getByRole('row').filter({ hasText: 'Total' })).toContainText('−330.11');
  await see(positions).toContainText('+0.71');
  await see(page.getByRole('region', { name: 'Pending orders' })).toContainText('Sell stop');
  const list = page.getByRole('region', { name: 'Deals' });
  await see(list.getByRole('row').filter({ hasText: 'Today' })).toContainText('−182.85');
  await visit.assertSound(page);

  // A stream that comes late makes the page read once more.
  await see(page.getByText('Live', { exact: true }).last()).toBeVisible();
  await see(list.getByRole('row').filter({ hasText: 'Today' })).toContainText('−182.85');
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await send(0, { ...withPositions, equity: '9671.61', profit: '-328.39' });
  await see(key(page, 'Equity')).toContainText('9,671.61');
  await sendDeals('3', [toDeal(4, { symbol: 'USDJPY', entry: 'out', profit: '0.10', commission: '0.00' })]);
  await see(list.getByRole('row').filter({ hasText: 'USDJPY' })).toContainText('+0.10');
  await see(list.getByRole('row').filter({ hasText: 'Today' })).toContainText('−182.75');
  expect(asked.filter((path) => path.endsWith('/deals'))).toEqual([]);
});

flow('the chart is read by the keyboard, and as a table', async (visit) => {
  const page = await visit.open(open(0), { as: owner.user });
  const chart = page.getByRole('slider', { name: /^Equity and balance, Today/ });
  await chart.focus();
  await page.keyboard.press('Home');
  await see(chart).toHaveAttribute('aria-valuenow', '0');
  await see(chart).toHaveAttribute('aria-valuetext', /equity 9,67\d\.6\d, lowest 9,670\.60/);
  await page.getByRole('button', { name: 'Show as table' }).click();
  await see(page.getByRole('table', { name: 'Equity and balance, Today' })).toContainText('10,000.00');
  await visit.assertSound(page);
  await page.getByRole('group', { name: 'Period' }).getByRole('button', { name: '1 y' }).click();
  await see(page).toHaveURL(/period=year/);
  await see(chart.or(page.getByRole('slider', { name: /^Equity and balance, 1 y/ })).first()).toBeVisible();
});

flow('deals are exported, and no text of a terminal is a formula in the file', async (visit) => {
  const page = await visit.open(open(0), { as: owner.user });
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await saved;
  expect(file.suggestedFilename()).toMatch(/^deals-0-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).split('\r\n');
  expect(lines[0]).toMatch(/^\ufeffticket,at,symbol,side,entry,volume,price,commission,swap,profit,/);
  expect(lines[0]).toMatch(/,comment,type,fee,out_by\r?$/);
  expect(lines[1]).toMatch(/,balance,in,.*,10000\.00,.*,'=1\+1,trade,0\.00,expert$/);
  expect(lines[2]).toMatch(/,"'=HYPERLINK\(""http:\/\/x""\)",trade,0\.00,expert$/);
  expect(lines[3]).toMatch(/,-1\.75,-0\.10,-177\.50,.*,"a, ""b""",trade,0\.00,expert$/);
  await see(page.getByText(/deals exported\./)).toBeVisible();
});

flow('old figures are said to be old, and that no rule acts on them', async (visit) => {
  await send(1, withPositions);
  const page = await visit.open(open(1), { as: owner.user });
  await see(page.getByText('Live', { exact: true }).last()).toBeVisible();
  const status = TerminalStatus.DISCONNECTED;
  await scene.host.report({ kind: 'terminal', terminal_id: ids[1] ?? '', status });
  await see(page.getByText(/^As of \d\d:\d\d:\d\d UTC, not current$/)).toBeVisible();
  await see(page.getByRole('alert').filter({ hasText: 'These figures are old.' })).toContainText(
    '2 positions were open',
  );
  await visit.assertSound(page);
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
  await visit.assertSound(page);
});

flow('without account data the tab says how to get it, and shows the first figures by itself', async (visit) => {
  const page = await visit.open(open(2), { as: owner.user, mayBe: [/status of 404/] });
  await see(page.getByRole('heading', { name: 'No account data yet' })).toBeVisible();
  await visit.assertSound(page);
  await send(2, {});
  await see(key(page, 'Equity')).toContainText('10,000.00');
});

flow('the list shows money in columns that are chosen and sorted, with totals per currency', async (visit) => {
  // Without positions, which would come first as soon as they are old.
  await send(0, { equity: '9670.60' });
  await send(1, { equity: '9671.60' });
  await send(2, {});
  const page = await visit.open('/terminals?sort=equity', { as: owner.user, viewport: { width: 1440, height: 900 } });
  const rows = page.getByRole('row').filter({ has: page.getByRole('checkbox', { name: /^Select (?!all)/ }) });
  await see(rows.first()).toContainText('Copper');
  await see(rows.first()).toContainText('10,000.00');
  await see(page.getByRole('row').filter({ hasText: '3 accounts' })).toContainText(/29,34\d\.\d\d/);
  await page.getByRole('columnheader', { name: 'Equity' }).getByRole('button').click();
  await see(rows.last()).toContainText('Copper');
  await page.getByRole('button', { name: /^Columns 8 of/ }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Balance' }).click();
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await see(page.getByRole('columnheader', { name: 'Balance' })).toBeVisible();
  await page.reload();
  await see(page.getByRole('columnheader', { name: 'Balance' })).toBeVisible();
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
});
