// @module-tag browser
/** One thing on many terminals is one run of the server: it is followed in every tab, and its exceptions are said first. */
import type { TestAccount } from '@berth/testing';
import { farAhead, waitFor } from '@berth/testing';
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { PATIENCE_MS, see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene({ config: { isRateLimited: true } });

const OFF = { enabled: false, verified: true };
const RUNS = '/v1/my/trading/bulk-runs';

/** Terminals that wait for a host. */
const addWaiting = ({ user }: TestAccount, count: number): Promise<unknown> =>
  scene.server.query(
    `insert into terminals (id, user_id, project_id, region_id, platform, name, server_name, login, status)
     select gen_random_uuid(), u.id, u.default_project_id, 0, 'sandbox', 'Waiting ' || n, 'Demo', 900 + n, 0
     from users u cross join generate_series(1, $2::integer) n where u.id = $1`,
    [user.id, count],
  );

const listRuns = async ({ token }: TestAccount) =>
  (await scene.server.request('GET', RUNS, { token })).body.data as {
    id: string;
    total: number;
    finished_at: string | null;
  }[];

/** What the page asks to be changed: the bodies of its POSTs. */
const noteChanges = (page: Page): [string, unknown][] => {
  const changes: [string, unknown][] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') changes.push([new URL(request.url()).pathname, request.postDataJSON()]);
  });
  return changes;
};

const strips = (page: Page): Locator => page.getByRole('region', { name: 'Bulk actions in progress' });

flow(
  'algo trading is turned off for a selection by one call, with its progress after a reload and in other tabs',
  async (visit) => {
    const owner = await scene.server.register('Ada Lovelace');
    await scene.createTerminals(owner.token, ['Alpha', 'Beta', 'Gamma']);
    await addWaiting(owner, 2);
    const page = await visit.open('/terminals', { as: owner.user });
    const other = await visit.open('/tasks', { beside: page });
    await see(other.getByText('Live', { exact: true }).first()).toBeVisible();
    const changes = noteChanges(page);
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Turn algo trading off', exact: true }).click();
    const [first, second, third] = await scene.claim('OPTIONS_AUTO_TRADE', 3);
    const dialog = page.getByRole('dialog', { name: 'Algo trading off' });
    await see(dialog).toContainText('Confirmed off on 0 of 5 terminals. 2 skipped.');
    await visit.assertSound(page);
    const ids = Array(5).fill(expect.any(String));
    expect(changes).toEqual([[RUNS, { type: 12, terminal_ids: ids, payload: { allow_algo_trading: 0 } }]]);
    await see(strips(other)).toContainText('Algo trading off Confirmed off on 0 of 5 terminals. 2 skipped.');
    await page.reload();
    await see(strips(page).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '2');
    await scene.complete([first!], OFF);
    for (const tab of [page, other])
      await see(strips(tab)).toContainText('Confirmed off on 1 of 5 terminals. 2 skipped.');
    await visit.assertSound(other);

    // Nobody looks while it ends.
    await page.close();
    await scene.complete([second!], OFF);
    await scene.fail([third!], { ok: false, code: 'E_UNSUPPORTED', message: 'Algo trading is still on.' });
    await see(strips(other)).toContainText('Confirmed off on 2, not on 1: it may still trade. 2 skipped.');
    const later = await visit.open('/terminals', { beside: other });
    await strips(later).getByRole('button', { name: 'Show' }).click();
    const results = later.getByRole('dialog', { name: 'Algo trading off' });
    const items = results.getByRole('listitem');
    await see(items).toHaveCount(5);
    await see(items.nth(0)).toContainText('Not confirmed');
    await see(items.nth(0).getByRole('link', { name: 'Open terminal' })).toBeVisible();
    await see(items.nth(0)).toContainText('Algo trading is still on.');
    for (const place of [1, 2]) await see(items.nth(place)).toContainText(/Skipped.*not installed yet/);
    for (const place of [3, 4]) await see(items.nth(place)).toContainText('Off');
    await visit.assertSound(later);
    await results.getByRole('button', { name: 'Run again on the failed one' }).click();
    const again = await scene.claim('OPTIONS_AUTO_TRADE', 1);
    expect(again[0]!.terminal.id).toBe(third!.terminal.id);
    await scene.complete(again, OFF);
    await see(later.getByRole('dialog', { name: 'Algo trading off' })).toContainText('Confirmed off.');
    await see(strips(other)).toHaveCount(0);
    await waitFor(async () => (await listRuns(owner)).length === 1, { what: 'the dismissal of the first run' });
  },
);

flow('what nobody has any more is an error, and only what is selected is meant', async (visit) => {
  const owner = await scene.server.register('Grace Hopper');
  const [gone] = await scene.createTerminals(owner.token, ['Gone', 'Kept']);
  const page = await visit.open('/terminals', { as: owner.user, mayBe: [/status of 409/] });
  await see(page.getByRole('button', { name: 'Take screenshots' })).toHaveCount(0);
  await page.getByLabel('Select Gone').check();
  await scene.server.query(`update terminals set status = 9, deleted_at = now() where id = $1`, [gone]);
  const changes = noteChanges(page);
  await page.getByRole('button', { name: 'Take screenshots' }).click();
  const dialog = page.getByRole('dialog', { name: 'Take screenshots' });
  await see(dialog.getByRole('alert')).toContainText('No terminal matches.');
  await visit.assertSound(page);
  expect(changes).toEqual([[RUNS, { type: 6, terminal_ids: [gone] }]]);
  await dialog.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByRole('button', { name: 'Clear selection' }).click();
  await see(page.getByRole('button', { name: 'Take screenshots' })).toHaveCount(0);
  expect(await listRuns(owner)).toEqual([]);
});

flow('a bulk action that comes too often says how long it waits, and goes on by itself', async (visit) => {
  const owner = await scene.server.register('Emmy Noether');
  const [id] = await scene.createTerminals(owner.token, ['Patience']);
  const page = await visit.open('/terminals', { as: owner.user, mayBe: [/status of 429/] });
  await page.getByLabel('Select Patience').check();
  const path = `/v1/my/trading/terminals/${id}/tasks`;
  const body = { type: 14, planned_at: farAhead };
  const create = () => scene.server.request('POST', path, { token: owner.token, body });
  const isUsedUp = async (): Promise<boolean> => {
    const { status, headers } = await create();
    if (status !== 429) return false;
    await scene.server.query(`update rate_uses set ends_at = now() + interval '6 seconds'`);
    return Number(headers.get('retry-after')) <= 6;
  };
  await waitFor(isUsedUp, { what: 'the end of the minute', timeoutMs: PATIENCE_MS });
  await page.getByRole('button', { name: 'Turn algo trading off', exact: true }).click();
  const waiting = page.getByText(/^Too many requests, retrying (in \d+ s|now)/);
  await see(waiting).toBeVisible();
  await visit.assertSound(page);
  await scene.complete(await scene.claim('OPTIONS_AUTO_TRADE'), OFF);
  await see(page.getByRole('dialog', { name: 'Algo trading off' })).toContainText('Confirmed off.');
  await see(waiting).toHaveCount(0);
  expect(await listRuns(owner)).toHaveLength(1);
});

flow('a server that is busy, and an answer that is lost, make no second run', async (visit) => {
  const owner = await scene.server.register('Mary Somerville');
  const [id] = await scene.createTerminals(owner.token, ['Once', 'Only']);
  const page = await visit.open('/terminals', { as: owner.user, mayBe: [/status of 503/, /net::ERR_/] });
  const keys: (string | undefined)[] = [];
  let [isBusy, isLost] = [true, true];
  let [end, noteRead] = [(): void => undefined, (): void => undefined];
  const isOver = new Promise<void>((resolve) => (end = resolve));
  const isRead = new Promise<void>((resolve) => (noteRead = resolve));
  await page.route(/\/bulk-runs(\?|$)/, async (route) => {
    const request = route.request();
    if (request.method() !== 'POST') {
      if (isBusy) return route.continue();
      // The page never sees the run open.
      await isOver;
      await route.fulfill({ response: await route.fetch() });
      return noteRead();
    }
    keys.push(request.headers()['idempotency-key']);
    if (isBusy) {
      const headers = { 'retry-after': '5', 'x-error-code': 'unavailable' };
      return route.fulfill({ status: 503, headers, json: { ok: false, msg: 'Please try again.', data: null } });
    }
    if (!isLost) {
      await isRead;
      return route.continue();
    }
    isLost = false;
    await route.fetch();
    await route.abort();
  });
  for (const name of ['Once', 'Only']) await page.getByLabel(`Select ${name}`).check();
  await page.getByRole('button', { name: 'Turn algo trading off', exact: true }).click();
  const dialog = page.getByRole('dialog', { name: 'Algo trading off' });
  await see(dialog).toContainText(/Too many requests, retrying (in \d+ s|now)/);
  // It may be closed: it goes on.
  await page.keyboard.press('Escape');
  await see(dialog).toHaveCount(0);
  await see(strips(page)).toContainText(/Algo trading off Too many requests, retrying/);
  await visit.assertSound(page);
  isBusy = false;
  await scene.complete(await scene.claim('OPTIONS_AUTO_TRADE', 2), OFF);
  await waitFor(async () => (await listRuns(owner))[0]?.finished_at, { what: 'the end of the run' });
  end();
  // A new task makes the page read its runs.
  const path = `/v1/my/trading/terminals/${id}/tasks`;
  await scene.server.request('POST', path, { token: owner.token, body: { type: 14, planned_at: farAhead } });
  await see(page.getByText('Algo trading off: Confirmed off on both terminals.')).toBeVisible();
  await see(strips(page)).toHaveCount(0);
  expect(keys.length).toBeGreaterThanOrEqual(3);
  expect(new Set(keys).size).toBe(1);
  expect(await listRuns(owner)).toHaveLength(1);
});
