// @module-tag browser
/** One task on many terminals: selected across pages, reported for each of them, in two clicks everywhere. */
import type { DeliveredTask } from '@berth/contract';
import type { TestAccount } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

/** More than one call takes, which is 500. */
const FLEET = 520;
const toNames = (word: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${word} ${String(index + 1).padStart(3, '0')}`);

const { scene, flow } = useHostScene({ capacity: FLEET });
let owner: TestAccount;
beforeAll(async () => {
  owner = await scene.server.register('Ada Lovelace');
  await scene.createTerminals(owner.token, [...toNames('Night', 60), ...toNames('Day', FLEET - 60)]);
});

const off = (tasks: readonly DeliveredTask[]): Promise<void> =>
  scene.complete(tasks, { enabled: false, verified: true });

const progress = (page: Page): Locator => page.getByRole('dialog').getByRole('progressbar');

flow('sixty are selected across pages, and each shows its outcome; the failed ones are retried', async (visit) => {
  const page = await visit.open('/terminals?search=Night&sort=name&direction=asc', { as: owner.user });
  await see(page.getByRole('row').filter({ hasText: 'Night 001' })).toBeVisible();
  await page.getByLabel('Select all on this page').check();
  const dock = page.getByRole('region', { name: '50 selected' }).or(page.getByText('50 selected'));
  await see(dock.first()).toBeVisible();
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByLabel('Select Night 060').check();
  await see(page.getByText('51 selected').first()).toBeVisible();
  await page.getByRole('button', { name: 'Previous' }).click();
  await see(page.getByLabel('Select Night 007')).toBeChecked();
  await page.getByRole('button', { name: 'Select all 60 that match' }).click();
  await see(page.getByText('60 selected').first()).toBeVisible();
  await visit.assertSound(page);

  await page.getByRole('button', { name: 'Turn algo trading off', exact: true }).click();
  const tasks = await scene.claim('OPTIONS_AUTO_TRADE', 60);
  expect(tasks.map(({ payload }) => payload)).toEqual(tasks.map(() => ({ allow_algo_trading: 0 })));
  const [first, second, ...others] = tasks;
  await off(others.slice(0, 20));
  await see(progress(page)).toHaveAttribute('aria-valuenow', '20');
  await see(page.getByRole('dialog')).toContainText('Confirmed off on 20 of 60 terminals.');
  await off(others.slice(20));
  for (const task of [first!, second!]) {
    await scene.fail([task], { ok: false, code: 'E_NOT_RUNNING', message: `No process for ${task.terminal.login}.` });
  }
  const dialog = page.getByRole('dialog', { name: 'Algo trading off' });
  await see(dialog).toContainText('Confirmed off on 58, not on 2: they may still trade.');
  for (const task of [first!, second!]) await see(dialog).toContainText(`No process for ${task.terminal.login}.`);
  await visit.assertSound(page);
  await dialog.getByRole('button', { name: 'Run again on 2 failed' }).click();
  const again = await scene.claim('OPTIONS_AUTO_TRADE', 2);
  expect(new Set(again.map(({ terminal }) => terminal.id))).toEqual(new Set([first!.terminal.id, second!.terminal.id]));
  await off(again);
  await see(dialog).toContainText('Confirmed off on both terminals.');
});

flow('algo trading is off everywhere in two presses and one call, page by page in the results', async (visit) => {
  const page = await visit.open('/terminals?search=nothing+like+this', { as: owner.user });
  const calls: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') calls.push(new URL(request.url()).pathname);
  });
  await page.getByRole('button', { name: 'Stop all algo trading…' }).click();
  const asked = page.getByRole('dialog', { name: 'Stop algo trading on all terminals' });
  await see(asked).toContainText('all 520 terminals');
  await asked.getByRole('button', { name: 'Stop on 520 terminals' }).click();
  const tasks = await scene.claim('OPTIONS_AUTO_TRADE', FLEET);
  expect(new Set(tasks.map(({ terminal }) => terminal.id)).size).toBe(FLEET);
  const results = page.getByRole('dialog', { name: 'Algo trading off' });
  await see(results.getByRole('listitem')).toHaveCount(100);
  await results.getByRole('button', { name: 'Next' }).click();
  await see(results).toContainText('2 of 6');
  await visit.assertSound(page);
  await results.getByRole('button', { name: 'Close' }).click();
  const strip = page.getByRole('region', { name: 'Bulk actions in progress' });
  await see(strip.getByRole('progressbar')).toHaveAttribute('aria-valuemax', '520');
  await visit.assertSound(page);
  await off(tasks);
  await see(page.getByText('Algo trading off: Confirmed off on all 520 terminals.')).toBeVisible();
  await see(strip.getByRole('progressbar')).toHaveCount(0);
  expect(calls).toEqual(['/v1/my/trading/stop']);
  await see(page.getByRole('region', { name: 'Algo trading is stopped' })).toContainText('520 confirmed.');
});

flow('ten are deleted after their number was typed, and each is gone from the list', async (visit) => {
  const page = await visit.open('/terminals?search=Night+01', { as: owner.user });
  await page.getByLabel('Select all on this page').check();
  await see(page.getByText('10 selected').first()).toBeVisible();
  await page.getByRole('button', { name: 'Delete…' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete 10 terminals' });
  const confirm = dialog.getByRole('button', { name: 'Delete 10 terminals' });
  await see(confirm).toHaveAttribute('aria-disabled', 'true');
  await visit.assertSound(page);
  await dialog.getByLabel('Type 10 to confirm').fill('10');
  await confirm.click();
  const tasks = await scene.claim('TERMINAL_DESTROY', 10);
  await see(page.getByRole('dialog')).toContainText('Done on 0 of 10 terminals.');
  await scene.complete(tasks, { freed_bytes: 1 });
  await see(page.getByRole('dialog')).toContainText('Done on all 10 terminals.');
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await see(page.getByText('No matching terminals')).toBeVisible();
});
