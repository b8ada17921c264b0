// @module-tag browser
/** Rules of risk: made and tried in a form, watched live, what a breach did, and the lock with its way out. */
import { randomUUID } from 'node:crypto';
import { toAccountState, waitFor, type TestAccount } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { afterEach, beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const PHONE = { width: 375, height: 720 };
const REPORT_MS = 2_000;

const { scene, flow } = useHostScene();
let owner: TestAccount;
let ids: string[];
let reporting: NodeJS.Timeout | undefined;
afterEach(() => clearInterval(reporting));
beforeAll(async () => {
  owner = await scene.server.register('Ada Lovelace');
  ids = await scene.createTerminals(owner.token, ['Gold', 'Silver']);
  await sendEquity('10000.00', '10000.00');
});

let sequence = 0;
const sendEquity = async (...equities: string[]): Promise<void> => {
  sequence += 1;
  const reports = equities.map((equity, index) => ({
    ...{ terminal_id: ids[index] ?? '', login: `${index}` },
    state: toAccountState({ sequence, equity }),
  }));
  const areTaken = async (): Promise<boolean> => (await scene.host.sendAccounts(...reports)).too_soon.length === 0;
  await waitFor(areTaken, { what: 'the accounts to be taken' });
};

interface Told {
  states?: object[];
  warnings?: object[];
  breaches?: object[];
}

/** What the host says of rules. */
const report = async ({ states = [], warnings = [], breaches = [] }: Told): Promise<void> => {
  const { status, bytes } = await scene.host.call('risk', { states, warnings, breaches });
  expect(status, bytes.toString()).toBe(200);
};

const readRules = async (): Promise<{ id: string; name: string }[]> =>
  ((await scene.server.request('GET', '/v1/my/risk-rules', { token: owner.token })).body as { data: never[] }).data;

/** What the host has measured: without it, the rule has not seen the account. */
const toMarks = (index: number): object => ({
  ...{ login: `${index}`, server: 'Harbour-Demo', start: '10000.00', high_water: '10000.00', last_balance: '10000.00' },
  ...{ seen_at: Date.now(), days: [{ at: Date.now(), value: '10000.00', breach_id: null }] },
  ...{ breach_id: null, is_warned: false },
});

const toState = (rule_id: string, index: number, changes: object = {}): object => ({
  ...{ terminal_id: ids[index], rule_id, used: '82.00', limit: '100.00', warn_at: '80.00', blind: null },
  ...{ as_of: Date.now(), marks: toMarks(index) },
  ...changes,
});

const ruleOf = (page: Page, name: string): Locator => page.getByRole('listitem').filter({ hasText: name });

flow('a rule is made in a form that tries it on the past and names what is wrong', async (visit) => {
  const page = await visit.open('/terminals', { as: owner.user, mayBe: [/status of 422/] });
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Risk' }).click();
  await see(page.getByRole('heading', { name: 'No rules yet' })).toBeVisible();
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Create rule' }).first().click();
  const form = page.getByRole('dialog', { name: 'Create rule' });
  await form.getByLabel('Name').fill('Daily loss 3 %');
  await form.getByLabel('Limit', { exact: true }).fill('1,234');
  await form.getByRole('button', { name: 'Create rule' }).click();
  await see(form.getByText('Enter a number such as 250.00.')).toBeVisible();
  await form.getByLabel('Limit', { exact: true }).fill('3');
  await form.getByLabel('Time zone').fill('Mars/Olympus');
  await form.getByRole('button', { name: 'Create rule' }).click();
  await see(form.getByText('Enter a time zone such as America/New_York.')).toBeVisible();
  await form.getByLabel('Time zone').fill('Europe/Berlin');
  await form.getByLabel('Terminals').selectOption({ label: 'Chosen terminals' });
  await form.getByRole('button', { name: 'Create rule' }).click();
  await see(form.getByText('Choose at least one terminal.')).toBeVisible();
  for (const name of ['Gold', 'Silver']) await form.getByRole('checkbox', { name }).check();
  for (const name of [/^Close all/, /^Lock/]) await form.getByRole('checkbox', { name }).check();
  await see(form.getByText(/^Acts on real money/)).toBeVisible();
  await form.getByRole('button', { name: 'Try rule' }).click();
  await see(form.getByText('It would not have acted.')).toBeVisible();
  await visit.assertSound(page);
  expect(await readRules()).toEqual([]);
  await form.getByRole('button', { name: 'Create rule' }).click();
  await see(ruleOf(page, 'Daily loss 3 %')).toContainText('When equity is 3% below the day’s start');
  await see(ruleOf(page, 'Daily loss 3 %')).toContainText('2 not watched');
  await see(page.getByText('Every terminal has a rule.')).toBeVisible();
});

flow('terminals are seen on the way to the limit, and a guard that is blind says so', async (visit) => {
  const [rule] = await readRules();
  const id = rule?.id ?? '';
  const page = await visit.open('/risk', { as: owner.user });
  await see(ruleOf(page, 'Daily loss 3 %')).toContainText('2 not watched');
  const warning = { id: randomUUID(), terminal_id: ids[0], rule_id: id, kind: 'near_limit', blind: null };
  await report({ warnings: [{ ...warning, at: Date.now(), used: '82.00', limit: '100.00' }] });
  // Again and again, as a host does: figures that nobody repeats become old.
  const tell = (): Promise<void> =>
    report({ states: [toState(id, 0), toState(id, 1, { used: '10.00', blind: 'old_numbers' })] }).catch(
      () => undefined,
    );
  reporting = setInterval(() => void tell(), REPORT_MS);
  await see(ruleOf(page, 'Daily loss 3 %')).toContainText('1 near, 1 not watched');
  const blind = page.getByRole('alert').filter({ hasText: '1 terminal is not watched.' });
  await see(blind).toContainText('its figures are older than 15 seconds');
  const meter = page.getByRole('meter', { name: 'Gold: used of the limit' });
  await see(meter).toHaveAttribute('aria-valuenow', '82');
  await see(page.getByText('18.00 left')).toBeVisible();
  await visit.assertSound(page);
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
  await visit.assertSound(page);
});

flow('the list says which terminal is near a limit, and what nobody watches comes first in it', async (visit) => {
  const [rule] = await readRules();
  const id = rule?.id ?? '';
  const tell = (): Promise<void> =>
    report({ states: [toState(id, 0), toState(id, 1, { used: '10.00', blind: 'old_numbers' })] }).catch(
      () => undefined,
    );
  await tell();
  reporting = setInterval(() => void tell(), REPORT_MS);
  await sendEquity('10000.00', '500.00');
  const page = await visit.open('/terminals', { as: owner.user });
  const rows = page.locator('.rows tr');
  const gold = rows.filter({ hasText: 'Gold' });
  await see(gold).toContainText(/Active.*Near its limit: .*Daily loss 3 %.*, 82% used/);
  await see(rows.filter({ hasText: 'Silver' })).toContainText('Not watched: its figures are older than 15 seconds');
  await visit.assertSound(page);
  const names = rows.locator('.row-name b');
  for (const direction of ['descending', 'ascending']) {
    await page.getByRole('button', { name: 'Equity', exact: true }).click();
    await see(page.getByRole('columnheader', { name: 'Equity' })).toHaveAttribute('aria-sort', direction);
    await see(names).toHaveText(['Silver', 'Gold']);
  }
  await page.setViewportSize(PHONE);
  await see(gold).toContainText('Near its limit');
  await assertNoSideScroll(page);
  await visit.assertSound(page);
});

flow('a breach is told step by step, with what could not be closed', async (visit) => {
  const [rule] = await readRules();
  const decided = Date.now() - 10_000;
  const page = await visit.open('/risk?tab=breaches', { as: owner.user });
  await see(page.getByRole('heading', { name: 'No breaches' })).toBeVisible();
  await report({
    breaches: [
      {
        ...{
          id: randomUUID(),
          terminal_id: ids[0],
          rule_id: rule?.id,
          decided_at: decided,
          value: '9690.00',
          limit: '9700.00',
        },
        ...{ first_order_ms: 118, closed: 1, total: 2, has_ended: true },
        left_open: [{ ticket: '9', symbol: 'US500', message: 'The market is closed (10018).' }],
        actions: [
          { action: 'close_all', ok: false, at: decided + 5_120, message: 'One is open.' },
          { action: 'lock', ok: true, at: decided + 5_431, message: null },
          { action: 'notify', ok: true, at: decided + 5_431, message: null },
        ],
      },
    ],
  });
  await see(page.getByRole('heading', { name: 'Gold' })).toBeVisible();
  const steps = page.getByRole('list').filter({ hasText: 'Limit reached' });
  await see(steps.getByRole('listitem').filter({ hasText: 'Not closed: US500' })).toContainText('(10018)');
  await see(steps.getByRole('listitem').filter({ hasText: 'Locked' })).toContainText('+5,431 ms');
  await see(page.getByText('118 ms').first()).toBeVisible();
  await see(page.getByText('Not everything was done')).toBeVisible();
  await visit.assertSound(page);
  await page.setViewportSize(PHONE);
  await assertNoSideScroll(page);
});

flow('a locked terminal says why, and is unlocked with a reason', async (visit) => {
  const page = await visit.open('/terminals', { as: owner.user });
  // Its connection is another matter.
  await see(page.getByRole('row').filter({ hasText: 'Gold' })).toContainText(
    /Active.*Locked: The risk rule "Daily loss 3 %" was breached/,
  );
  await page.getByRole('link', { name: /Gold/ }).click();
  const banner = page.getByRole('region', { name: /^Locked, because/ });
  await see(banner).toContainText('Daily loss 3 %');
  await visit.assertSound(page);
  await banner.getByRole('button', { name: 'Unlock…' }).click();
  const form = page.getByRole('region', { name: 'Unlock Gold' });
  await see(form).toContainText(/Algo trading stays off .* positions that are opened now stay open/);
  await form.getByLabel('Reason').fill('The risk desk agreed, ticket 4471');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Unlock terminal' }).click();
  await see(page.getByText('Gold is unlocked. Algo trading is still off.')).toBeVisible();
  await see(page.getByRole('region', { name: /^Locked|^Unlock/ })).toHaveCount(0);
});

flow('a rule is switched off, edited and deleted', async (visit) => {
  const page = await visit.open('/risk', { as: owner.user });
  const rule = ruleOf(page, 'Daily loss 3 %');
  await rule.getByRole('switch', { name: 'Daily loss 3 %: on' }).click();
  await see(rule).toContainText('Off: nothing is watched');
  await rule.getByRole('button', { name: 'Edit Daily loss 3 %' }).click();
  const form = page.getByRole('dialog', { name: 'Edit rule' });
  await see(form.getByLabel('Type')).toBeDisabled();
  await form.getByLabel('Unit of the limit').selectOption({ label: 'amount' });
  await form.getByLabel('Limit', { exact: true }).fill('250.00');
  await form.getByRole('button', { name: 'Save rule' }).click();
  await see(page.getByRole('dialog')).toHaveCount(0);
  await see(rule).toContainText('When equity is 250.00 below the day’s start');
  await rule.getByRole('button', { name: 'Edit Daily loss 3 %' }).click();
  await page.getByRole('dialog', { name: 'Edit rule' }).getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog', { name: 'Delete this rule?' }).getByRole('button', { name: 'Delete rule' }).click();
  await see(page.getByRole('heading', { name: 'No rules yet' })).toBeVisible();
});
