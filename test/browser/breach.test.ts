// @module-tag browser
/** A rule from a preset, the page of its breach, and an unlock that lets it begin anew. */
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { RULE_SETTINGS } from '@berth/contract/values';
import { toAccountState, waitFor, type TestAccount } from '@berth/testing';
import { beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const PHONE = { width: 375, height: 720 };
const PRESET = '5% of the initial balance a day, from midnight Prague';

const { scene, flow } = useHostScene();
let owner: TestAccount;
let gold: string;
beforeAll(async () => {
  owner = await scene.server.register('Ada Lovelace');
  [gold = ''] = await scene.createTerminals(owner.token, ['Gold']);
  const state = toAccountState({ sequence: 1, balance: '100000.00', equity: '97480.00' });
  await scene.host.sendAccounts({ terminal_id: gold, login: '0', state });
});

const breachId = randomUUID();

const call = async (path: string, body: Record<string, unknown>): Promise<void> => {
  const { status, bytes } = await scene.host.call(path, body);
  expect(status, bytes.toString()).toBe(200);
};

const readRule = async () => (await owner.berth.riskRules.list().toArray())[0]!;

/** What a host says of a breach and of what it saw and did. */
const breach = async (ruleId: string): Promise<void> => {
  const decided = Date.now() - 5_000;
  const about = { id: breachId, terminal_id: gold, rule_id: ruleId, rule_version: 2, decided_at: decided };
  const actions = ['close_all', 'lock', 'notify'].map((action, index) => ({
    ...{ action, ok: true, at: decided + 900 + index, message: null },
  }));
  const outcome = { first_order_ms: 118, closed: 1, total: 1, left_open: [], actions, has_ended: true };
  await call('risk', {
    ...{ states: [], warnings: [] },
    breaches: [{ ...about, value: '97480.00', limit: '97500.00', ...outcome }],
  });
  const day = { at: decided, value: '102500.00', breach_id: null, source: 'first_numbers' };
  const lines = [
    { at: decided, kind: 'marks', body: { start: '100000.00', high_water: '102500.00', days: [day] } },
    ...[-2, -1, 0].map((second) => ({
      at: decided + second * 1_000,
      kind: 'numbers',
      body: {
        ...{ sequence: 70 + second, age_ms: 0, balance: '100000.00', equity: `${97480 - second * 100}.00` },
        ...{ positions: 1, orders: 0, quotes: { EURUSD: { bid: '1.08412' } } },
      },
    })),
    { at: decided, kind: 'decision', body: { rule_id: ruleId, rule_version: 2 } },
    {
      at: decided + 330,
      kind: 'request',
      body: { action: 'close_position', ticket: '9', retcode: 10009, message: 'Request <b>completed', ms: 212 },
    },
    { at: decided + 60_000, kind: 'end', body: {} },
  ];
  await call('risk-evidence', {
    ...{ breach_id: breachId, sent_at: Date.now(), is_complete: true },
    lines: lines.map(({ at, kind, body }, index) => ({ line: index + 1, at, kind, body: JSON.stringify(body) })),
  });
};

flow('a rule is made from a preset, what is rarely set is under More, and it says what it will do', async (visit) => {
  const page = await visit.open('/risk?rule=new', { as: owner.user, mayBe: [/status of 422/] });
  const form = page.getByRole('dialog', { name: 'Create rule' });
  await form.getByLabel('Begin with').selectOption({ label: PRESET });
  await see(form.getByLabel('Name')).toHaveValue(PRESET);
  await see(form.getByLabel('Unit of the limit')).toHaveValue('initial');
  await see(form.getByLabel('Time zone')).toHaveValue('Europe/Prague');
  const says = form.getByRole('region', { name: 'What it does' });
  await see(says).toContainText('When equity is 5% of the initial balance below the day’s start');
  for (const name of [/^Close all/, /^Lock/]) await form.getByRole('checkbox', { name }).check();
  await form
    .getByLabel('The lock ends', { exact: true })
    .selectOption({ label: 'By itself, when the next day begins' });
  await see(form.getByLabel('Must last, seconds')).toBeHidden();
  await form.getByText('More settings').click();
  await form.getByLabel('Must last, seconds').fill('90');
  await form.getByText('More settings').click();
  await form.getByLabel('Terminals').selectOption({ label: 'All terminals' });
  await form.getByRole('button', { name: 'Create rule' }).click();
  // What is wrong is never folded.
  await see(form.getByText('Enter seconds from 0 to 60.')).toBeVisible();
  await see(form.getByLabel('Must last, seconds')).toBeFocused();
  await form.getByLabel('Must last, seconds').fill('2.5');
  await see(says).toContainText('It acts once that has lasted 2.5 seconds.');
  await see(says).toContainText('The lock ends by itself at 00:00, Europe/Prague.');
  await form.getByLabel('Acts earlier by').fill('1');
  await visit.assertSound(page);
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Create rule' }).click();
  await see(page.getByRole('listitem').filter({ hasText: PRESET })).toContainText('It acts 1 earlier.');
  expect(await readRule()).toMatchObject({
    ...{ name: PRESET, percent: 5, percent_of: 'initial', basis: 'balance', buffer: '1', confirm_ms: 2_500 },
    ...{ lock_until: 'next_day', time_zone: 'Europe/Prague', actions: ['close_all', 'lock', 'notify'] },
  });
});

flow('a setting of a rule is changed, and what the form does not show stays', async (visit) => {
  const page = await visit.open('/risk', { as: owner.user });
  await page.getByRole('button', { name: `Edit ${PRESET}` }).click();
  const form = page.getByRole('dialog', { name: 'Edit rule' });
  await see(form.getByLabel('Begin with')).toHaveCount(0);
  // It is open, because something in it is set.
  await see(form.getByLabel('Acts earlier by')).toHaveValue('1');
  await form.getByLabel('Must last, seconds').fill('0');
  await form.getByLabel('Deposits and withdrawals').selectOption({ label: 'Leave the limit where it is' });
  await form.getByRole('button', { name: 'Save rule' }).click();
  await see(page.getByRole('dialog')).toHaveCount(0);
  await see(page.getByText('Deposits and withdrawals don’t move it.')).toBeVisible();
  expect(await readRule()).toMatchObject({ confirm_ms: 0, cash_flows: 'ignore', buffer: '1', lock_until: 'next_day' });
});

flow('what a limit counts from at a terminal, and when its day ends, is said at the rule', async (visit) => {
  const { id } = await readRule();
  const day = { at: Date.now(), value: '102500.00', breach_id: null, source: 'first_numbers' };
  const marks = {
    ...{ login: '0', server: 'Harbour-Demo', start: '100000.00', high_water: '102500.00', last_balance: '100000.00' },
    ...{ seen_at: Date.now(), days: [day], breach_id: null, is_warned: false },
  };
  const state = { terminal_id: gold, rule_id: id, used: '4200.00', limit: '5000.00', warn_at: '4000.00', blind: null };
  const denied = { can_act: false, trade_denied_by: ['password'] };
  await call('risk', { states: [{ ...state, ...denied, as_of: Date.now(), marks }], warnings: [], breaches: [] });
  const page = await visit.open('/risk', { as: owner.user });
  const rule = page.getByRole('listitem').filter({ hasText: PRESET });
  await rule.getByText('Its terminal').click();
  const shown = rule.getByRole('listitem').filter({ hasText: '4,200.00 of 5,000.00' });
  await see(shown).toContainText('800.00 left');
  await see(shown).toContainText('Counts from 102,500.00, the first figures of the day');
  await see(shown).toContainText(/The day ends at .*UTC \(00:00 in Europe\/Prague\)/);
  await visit.assertSound(page);
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
});

flow('the page of a breach says what was seen, decided, done and left, and its evidence is a file', async (visit) => {
  await call('risk-rules', { settings: RULE_SETTINGS });
  await breach((await readRule()).id);
  const page = await visit.open('/risk?tab=breaches', { as: owner.user, mayBe: [/status of 404/] });
  await page.getByRole('link', { name: /^What was seen and done: Gold/ }).click();
  await see(page.getByRole('heading', { name: `Gold: ${PRESET}`, level: 1 })).toBeVisible();
  await see(
    page.getByRole('img', { name: 'Equity in 3 reports, from 97,480.00 to 97,680.00, and the limit' }),
  ).toBeVisible();
  await page.getByText('All reports').click();
  const reports = page.getByRole('table', { name: 'Reports of the terminal around the decision' });
  await see(reports.getByRole('row').nth(1)).toContainText('97,680.00');
  await see(reports.getByRole('row').nth(1)).toContainText('EURUSD 1.08412/–');
  const requests = page.getByRole('table', { name: 'Requests to the terminal and the trading server' });
  await see(requests.getByRole('row').nth(1)).toContainText(/Close position 9.*10009, Request <b>completed.*212 ms/);
  const rule = page.locator('section').filter({ hasText: 'By which rule' });
  await see(rule).toContainText(
    /version 2.*When equity is 5% of the initial balance.*102,500\.00.*first figures of the day/,
  );
  await see(rule).toContainText(/version 1, .*in the dashboard.*confirm ms 2500/);
  await visit.assertSound(page);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download evidence' }).click(),
  ]);
  expect(download.suggestedFilename()).toBe(`breach-${breachId}.jsonl`);
  const lines = (await readFile(await download.path(), 'utf8')).trim().split('\n');
  expect(JSON.parse(lines[0] ?? '')).toMatchObject({ n: 1, source: 'server', kind: 'header' });
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
  await visit.assertSound(page);
  await page.goto(`${visit.url}/risk/breaches/${randomUUID()}`);
  await see(page.getByRole('heading', { name: 'No such breach', level: 1 })).toBeVisible();
});

flow(
  'an unlock lets the rules that locked begin anew, where that is chosen, and a breach says who did it',
  async (visit) => {
    const page = await visit.open(`/terminals/${gold}?tab=trading`, { as: owner.user });
    const banner = page.getByRole('region', { name: /^Locked, because/ });
    await see(banner).toContainText('The lock ends by itself at');
    await banner.getByRole('button', { name: 'Unlock…' }).click();
    const form = page.getByRole('region', { name: 'Unlock Gold' });
    const anew = form.getByRole('checkbox', { name: 'Let the rules that locked it begin anew' });
    await see(anew).not.toBeChecked();
    await see(anew).toHaveAccessibleDescription(/count from the account’s next figures/);
    await anew.check();
    await form.getByLabel('Reason').fill('The desk agreed');
    await visit.assertSound(page);
    await form.getByRole('button', { name: 'Unlock terminal' }).click();
    await see(page.getByText('Gold is unlocked. Algo trading is still off.')).toBeVisible();
    const isAnew = async (): Promise<boolean> => {
      const { body } = await scene.host.call('risk-rules', { settings: RULE_SETTINGS });
      return (body as { terminals: { rules: { reset?: string }[] }[] }).terminals[0]?.rules[0]?.reset === breachId;
    };
    await waitFor(isAnew, { what: 'the rule to begin anew' });
    await page.goto(`${visit.url}/risk/breaches/${breachId}`);
    await see(page.getByText('Unlocked: The desk agreed (the rules began anew)')).toBeVisible();
  },
);

flow('what an account began with is set on its tab, and taken back', async (visit) => {
  const page = await visit.open(`/terminals/${gold}?tab=trading`, { as: owner.user, mayBe: [/status of 422/] });
  await page.getByRole('button', { name: 'Initial balance: Set…' }).click();
  const form = page.getByRole('dialog', { name: 'Initial balance' });
  await form.getByLabel('Amount').fill('1,234');
  await form.getByRole('button', { name: 'Save' }).click();
  await see(form.getByText('Enter an amount such as 100000.00.')).toBeVisible();
  await form.getByLabel('Amount').fill('102 500');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Save' }).click();
  await see(page.getByText('set by you')).toBeVisible();
  expect(await owner.berth.terminals.account(gold)).toMatchObject({
    ...{ initial_balance: '102500', initial_balance_source: 'owner' },
  });
});
