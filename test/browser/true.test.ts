// @module-tag browser
/** What the dashboard shows is true: in two tabs, in two browsers, while the server is gone and after, on a slow line. */
import { endProcesses, startTestStack, type TestStack } from '@berth/testing';
import type { Page } from '@playwright/test';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

let stack: TestStack;
beforeAll(async () => {
  stack = await startTestStack();
});
afterAll(async () => {
  await stack?.close();
  await endProcesses();
});

const flow = useBrowser(() => stack.url);

/** What browsers say of a server that they do not reach. */
const AWAY = [/net::ERR_/, /status of 50[234]/];

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
  await see(second.getByRole('button', { name: 'Create a sandbox terminal' })).toBeVisible();
  await first.getByRole('button', { name: 'Create a sandbox terminal' }).click();
  for (const page of [first, second, elsewhere]) await see(rowOf(page, 'Sandbox')).toContainText('Active');
  await createTerminal(stack, token, { name: 'Second of two' });
  for (const page of [elsewhere, second, first]) await see(rowOf(page, 'Second of two')).toContainText('Active');
  expect(streams).toHaveLength(1);
});

flow('a killed server is told of, and what happened meanwhile is shown once it is back', async (visit) => {
  const { user, token } = await stack.register('Grace Hopper');
  await createTerminal(stack, token, { name: 'Before' });
  const page = await visit.open('/terminals', { as: user, mayBe: AWAY });
  await see(rowOf(page, 'Before')).toContainText('Active');
  await see(page.getByText('Live', { exact: true }).first()).toBeVisible();
  stack.server.kill('SIGKILL');
  await stack.server.ended;
  await see(page.getByText(/The server (does not answer|has not answered for)/)).toBeVisible();
  await see(rowOf(page, 'Before')).toBeVisible();
  await visit.assertSound(page);
  await stack.restart();
  await see(page.getByText(/The server (does not answer|has not answered for)/)).toHaveCount(0);
  await createTerminal(stack, token, { name: 'Afterwards' });
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
