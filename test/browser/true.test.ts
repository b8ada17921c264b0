// @module-tag browser
/** What the dashboard shows is true: in two tabs, in two browsers, while the server is gone and after, on a slow line. */
import { useTestStack } from '@berth/testing';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

// Streams say the more often that they live, so that a silence is noticed the sooner.
const stack = useTestStack({ environment: { BERTH_TIME_PERCENT: '40' } });

const flow = useBrowser(() => stack.url);

/** Browsers' messages about an unreachable server. */
const AWAY = [/net::ERR_/, /status of 50[234]/];

const AWAY_SENTENCE = /^No contact since /;

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });

flow('two tabs and another browser agree without a reload, and the tabs share one stream', async (visit) => {
  const { user, token } = await stack.register('Ada Lovelace');
  const first = await visit.open('/sign-in', { as: user });
  const streams: string[] = [];
  first.context().on('request', (request) => {
    if (new URL(request.url()).pathname.endsWith('/events')) streams.push(request.url());
  });
  await first.goto(`${visit.url}/terminals`);
  const second = await visit.open('/terminals', { beside: first });
  const elsewhere = await visit.open('/terminals', { as: user, colorScheme: 'light' });
  await see(second.getByRole('button', { name: 'Create sandbox terminal' })).toBeVisible();
  await first.getByRole('button', { name: 'Create sandbox terminal' }).click();
  for (const page of [first, second, elsewhere]) await see(rowOf(page, 'Sandbox')).toContainText('Active');
  await createTerminal(stack, token, { name: 'Second of two' });
  for (const page of [elsewhere, second, first]) await see(rowOf(page, 'Second of two')).toContainText('Active');
  expect(streams).toHaveLength(1);
});

flow('a killed server is reported, and what happened meanwhile is shown once it is back', async (visit) => {
  const { user, token } = await stack.register('Grace Hopper');
  await createTerminal(stack, token, { name: 'Before' });
  const page = await visit.open('/terminals', { as: user, mayBe: AWAY });
  await see(rowOf(page, 'Before')).toContainText('Active');
  await see(page.getByText('Live', { exact: true }).first()).toBeVisible();
  stack.server.kill('SIGKILL');
  await stack.server.ended;
  await see(page.getByText(AWAY_SENTENCE)).toBeVisible();
  await see(rowOf(page, 'Before')).toBeVisible();
  await visit.assertSound(page);
  await stack.restart();
  await see(page.getByText(AWAY_SENTENCE)).toHaveCount(0);
  await createTerminal(stack, token, { name: 'Afterwards', login: '5002' });
  await see(rowOf(page, 'Afterwards')).toBeVisible();
  await stack.waitForHosts();
});

flow('on a slow line the list has its places before its rows, and arrives', async (visit) => {
  const { user, token } = await stack.register('Mary Somerville');
  await createTerminal(stack, token, { name: 'Far away' });
  const page = await visit.open('/sign-in', { as: user });
  const line = await page.context().newCDPSession(page);
  const slow = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 };
  await line.send('Network.emulateNetworkConditions', slow);
  // The rows are asked for together with the code of the page, so that they may be there first: they are held back.
  let release: () => void = () => undefined;
  const isSeen = new Promise<void>((resolve) => (release = resolve));
  await page.route(/\/v1\/my\/trading\/terminals\?/, (route) => isSeen.then(() => route.continue()));
  await page.goto(`${visit.url}/terminals`, { waitUntil: 'commit' });
  await see(page.locator('[aria-busy="true"]').first()).toBeVisible();
  release();
  await see(rowOf(page, 'Far away')).toBeVisible();
  await see(page.locator('[aria-busy="true"]')).toHaveCount(0);
});

/** The clock of the browser shows another time. */
const toShiftedClock = (ms: number): string => `(() => {
  const TrueDate = Date;
  globalThis.Date = class extends TrueDate {
    constructor(...parts) {
      if (parts.length === 0) super(TrueDate.now() + ${ms});
      else super(...parts);
    }
    static now() {
      return TrueDate.now() + ${ms};
    }
  };
})()`;

flow('everything is as old as it is in a browser whose clock is two hours wrong', async (visit) => {
  const { user, token } = await stack.register('Emmy Noether');
  const { id, owner } = await createTerminal(stack, token, { name: 'Timeless' });
  await owner.waitForStatus(id, 'ACTIVE');
  const ended = await owner.run(id, 'MARKET_WATCH_SHOW_ALL');
  const age = `now() - interval '5 minutes 10 seconds'`;
  await stack.query(`update terminals set status_changed_at = ${age} where id = $1`, [id]);
  await stack.query(`update tasks set created_at = ${age} where id = $1`, [ended.id]);
  for (const hours of [2, -2]) {
    const page = await visit.open('/sign-in', { as: user });
    await page.addInitScript(toShiftedClock(hours * 3_600_000));
    await page.goto(`${visit.url}/terminals`);
    await see(rowOf(page, 'Timeless')).toContainText('5 min');
    await page.goto(`${visit.url}/tasks`);
    await see(page.getByRole('row').filter({ hasText: 'Timeless' }).first()).toContainText('5 min ago');
  }
});

flow('a frozen server is reported within seconds, and nothing is called live until it continues', async (visit) => {
  const { user, token } = await stack.register('Lise Meitner');
  const { id, owner } = await createTerminal(stack, token, { name: 'Frozen' });
  const page = await visit.open('/terminals', { as: user, mayBe: AWAY });
  const other = await visit.open('/terminals', { beside: page, mayBe: AWAY });
  for (const tab of [page, other]) {
    await see(rowOf(tab, 'Frozen')).toContainText('Active');
    await see(tab.getByText('Live', { exact: true })).toBeVisible();
  }
  process.kill(stack.server.pid, 'SIGSTOP');
  try {
    for (const tab of [page, other]) {
      await see(tab.getByText('Offline', { exact: true })).toBeVisible();
      await see(tab.getByText(AWAY_SENTENCE)).toBeVisible();
      await see(tab.getByText('Live', { exact: true })).toHaveCount(0);
      await see(tab.getByRole('main')).toHaveAttribute('data-old', '');
    }
    await visit.assertSound(page);
  } finally {
    process.kill(stack.server.pid, 'SIGCONT');
  }
  for (const tab of [page, other]) {
    await see(tab.getByText('Live', { exact: true })).toBeVisible();
    await see(tab.getByText(AWAY_SENTENCE)).toHaveCount(0);
    await see(tab.getByRole('main')).not.toHaveAttribute('data-old');
  }
  await owner.berth.terminals.update(id, { name: 'Thawed' });
  for (const tab of [page, other]) await see(rowOf(tab, 'Thawed')).toBeVisible();
});
