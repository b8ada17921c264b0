// @module-tag browser
/** Tasks as they are followed: why one failed, what can be done about it, and the log that a task reads. */
import { TaskType, TerminalStatus } from '@berth/contract';
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

/** Whether a click there would reach it. */
const isOnTop = (place: Locator): Promise<boolean> =>
  place.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(element.ownerDocument.elementFromPoint(left + width / 2, top + height / 2));
  });

const INSTALL = { name: 'Trend', symbol: 'NOWHERE', period: 'H1' } as const;

flow('a failed task shows its steps, its code and what to do, is copied as curl, and is run again', async (visit) => {
  const { user, token, berth } = await scene.server.register('Ada Lovelace');
  const [id = ''] = await scene.createTerminals(token, ['Morning desk']);
  const page = await visit.open(`/terminals/${id}`, { as: user });
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  const { id: fileId } = await berth.files.upload('Trend.ex5', 'a program');
  await berth.tasks.create(id, 'EA_INSTALL', { ...INSTALL, file_id: fileId });
  const [task] = await scene.claim('EA_INSTALL');
  const message = 'The broker has no symbol NOWHERE.';
  await scene.fail([task!], { step: 'fetch_file' }, { step: 'open_chart', ok: false, code: 'E_SYMBOL', message });

  const row = page.getByRole('listitem').filter({ hasText: 'Trend · NOWHERE · H1' });
  await see(row).toContainText('Failed');
  await see(row).toContainText(message);
  await row.getByRole('button', { name: /Install expert/ }).click();
  const sheet = page.getByRole('dialog', { name: 'Install expert' });
  await see(sheet.getByText('E_SYMBOL').first()).toBeVisible();
  await see(sheet.getByText('The symbol name differs at this broker: see Market Watch.')).toBeVisible();
  await see(sheet.getByText('Fetch file', { exact: true })).toBeVisible();
  await see(sheet.getByText('Open chart', { exact: true })).toBeVisible();
  for (const move of ['Waiting', 'Sent to host', 'Running', 'Failed']) {
    await see(sheet.locator('.moves').getByText(move, { exact: true }).first()).toBeVisible();
  }
  await see(sheet.getByRole('button', { name: 'Cancel task' })).toHaveAttribute('aria-disabled', 'true');
  await visit.assertSound(page);

  await sheet.getByRole('button', { name: 'Copy as curl' }).click();
  await see(page.getByText('Copied to clipboard.')).toBeVisible();
  const command = await page.evaluate<string>('navigator.clipboard.readText()');
  expect(command).toContain(`curl -s -X POST '${visit.url}/v1/my/trading/terminals/${id}/tasks'`);
  expect(JSON.parse(/-d '(.*)'$/.exec(command)?.[1] ?? '')).toMatchObject({
    type: TaskType.EA_INSTALL,
    payload: INSTALL,
  });

  await sheet.getByRole('button', { name: 'Run again' }).click();
  const question = page.getByRole('dialog', { name: 'Run this task again?' });
  await see(question).toContainText('Install expert: the terminal does it once more, with the same payload.');
  await question.getByRole('button', { name: 'Run again' }).click();
  const [again] = await scene.claim('EA_INSTALL');
  expect(again!.payload).toEqual(task!.payload);
  await see(row.filter({ hasText: 'Running' })).toHaveCount(1);
  await scene.complete([again!]);
  await see(row.filter({ hasText: 'Done' })).toHaveCount(1);
  await see(page.getByText('Install expert: done')).toHaveCount(1);
});

flow('a login is run again with the password typed anew, and on a phone no message covers a button', async (visit) => {
  const { user, token, berth } = await scene.server.register('Emmy Noether');
  const [id = ''] = await scene.createTerminals(token, ['Noon desk']);
  await berth.tasks.create(id, 'ACCOUNT_LOGIN', { login: '7', server_name: 'Harbour-Demo', password: 'sesame' });
  const [first] = await scene.claim('ACCOUNT_LOGIN');
  await scene.fail([first!], { ok: false, code: 'E_AUTH', message: 'Invalid account' });
  const page = await visit.open(`/tasks`, { as: user, viewport: { width: 375, height: 640 } });
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await needs.getByRole('button', { name: 'Run again' }).click();
  const question = page.getByRole('dialog', { name: 'Run this task again?' });
  await question.getByRole('button', { name: 'Run again' }).click();
  await see(question.getByText('Enter the password of the trading account.')).toBeVisible();
  await question.getByLabel('Password').fill('open');
  await visit.assertSound(page);
  await question.getByRole('button', { name: 'Run again' }).click();
  const [again] = await scene.claim('ACCOUNT_LOGIN');
  expect(again!.payload).toEqual(first!.payload);
  expect(again!.secrets).toEqual({ password: 'open' });
  await scene.fail([again!], { ok: false, code: 'E_AUTH', message: 'Invalid account' });

  await page.goto(`${visit.url}/terminals/${id}?task=${again!.id}`);
  const sheet = page.getByRole('dialog', { name: 'Log in' });
  // The question later hides it from whoever asks by role.
  const close = page.locator('.dialog').first().getByText('Close', { exact: true });
  await see(close).toBeVisible();
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await sheet.getByRole('button', { name: 'Copy ID' }).click();
  await see(page.getByText('Copied to clipboard.')).toBeVisible();
  expect(await isOnTop(close)).toBe(true);
  await sheet.getByRole('button', { name: 'Run again' }).click();
  await see(question).toBeVisible();
  expect(await isOnTop(close)).toBe(false);
});

flow('a task that no host has yet is canceled, on its terminal and on the page of all tasks', async (visit) => {
  const { user, token, berth } = await scene.server.register('Grace Hopper');
  const [id = ''] = await scene.createTerminals(token, ['Evening desk']);
  await berth.tasks.create(id, 'MARKET_WATCH_SHOW_ALL', {});
  const [first] = await scene.claim('MARKET_WATCH_SHOW_ALL');
  await berth.tasks.create(id, 'SCREENSHOT', {});
  await berth.tasks.create(id, 'ACCOUNT_LOGIN', {});
  const page = await visit.open(`/terminals/${id}?filter=open`, { as: user });
  await page
    .getByRole('listitem')
    .getByRole('button', { name: /^Screenshot/ })
    .click();
  const sheet = page.getByRole('dialog', { name: 'Screenshot' });
  await sheet.getByRole('button', { name: 'Cancel task' }).click();
  await see(page.getByText('Canceled: Screenshot.')).toBeVisible();
  await see(sheet.getByRole('button', { name: 'Run again' })).not.toHaveAttribute('aria-disabled', 'true');
  await sheet.getByRole('button', { name: 'Close' }).click();
  await see(page.getByRole('listitem').getByRole('button', { name: /^Screenshot/ })).toHaveCount(0);

  await page.getByRole('link', { name: 'Tasks' }).first().click();
  await see(page.getByRole('heading', { name: 'Tasks', level: 1 })).toBeVisible();
  for (const name of ['Filter by type', 'Filter by project']) {
    await see(page.getByRole('combobox', { name, exact: true })).toBeVisible();
  }
  const rowOf = (name: string): Locator => page.getByRole('row').filter({ hasText: name });
  await see(rowOf('Screenshot')).toContainText('Canceled');
  await see(rowOf('Show all symbols').getByRole('button', { name: 'Cancel' })).toHaveAccessibleDescription(
    'It is already running on a host and can no longer be canceled.',
  );
  await rowOf('Log in').getByRole('button', { name: 'Cancel' }).click();
  await see(rowOf('Log in')).toContainText('Canceled');
  await visit.assertSound(page);
  await scene.fail([first!], { ok: false, code: 'E_UNSUPPORTED', message: 'This terminal has no list of symbols.' });
  const needs = page.getByRole('region', { name: 'Needs attention' });
  await see(needs).toContainText('This terminal has no list of symbols.');
  await needs.getByRole('button', { name: 'Run again' }).click();
  const [again] = await scene.claim('MARKET_WATCH_SHOW_ALL');
  await scene.complete([again!], { symbols: 42 });
  await page.getByRole('button', { name: 'Done', exact: true }).click();
  // The list of before stays until the one of the filter is there.
  await see(rowOf('Show all symbols').filter({ hasText: 'Failed' })).toHaveCount(0);
  await see(rowOf('Show all symbols').filter({ hasText: 'Done' })).toHaveCount(1);
  await rowOf('Show all symbols')
    .getByRole('link', { name: /Show all symbols/ })
    .click();
  const side = page.getByRole('dialog', { name: 'Show all symbols' });
  await see(side.getByRole('heading', { name: 'Steps' })).toBeVisible();
  await side.getByText('Result').click();
  await see(side.getByText('"symbols": 42')).toBeVisible();
  await visit.assertSound(page);
});

flow(
  'the journal that a banner leads to is loaded at once, and the form that it leads to has the focus',
  async (visit) => {
    const { user, token, berth } = await scene.server.register('Maria Mitchell');
    const [id = ''] = await scene.createTerminals(token, ['Cut off']);
    const setStatus = (status: number) =>
      scene.server.query('update terminals set status = $2, status_reason = null where id = $1', [id, status]);
    await setStatus(TerminalStatus.DISCONNECTED);
    const page = await visit.open(`/terminals/${id}`, { as: user });
    await page.getByRole('button', { name: 'View journal' }).click();
    const [reading] = await scene.claim('EA_LOGS');
    expect(reading!.payload).toMatchObject({ source: 'journal' });
    await scene.complete([reading!], { lines: ['the line that says why'], truncated: false });
    await see(page.getByRole('log')).toContainText('the line that says why');
    await see(page.getByRole('log')).toBeInViewport();
    expect((await berth.tasks.page(id, { type: 'EA_LOGS' })).pagination.total).toBe(1);

    await setStatus(TerminalStatus.LOGIN_FAILED);
    await page.getByRole('button', { name: 'Log in…' }).click();
    const password = page.getByRole('form', { name: 'Another account' }).getByLabel('Password');
    await see(password).toBeFocused();
    await see(password).toBeInViewport();
  },
);

const toLines = (from: number, to: number): string[] =>
  Array.from({ length: to - from }, (_, index) => {
    const at = `2026.03.02 10:${String(Math.floor((from + index) / 60)).padStart(2, '0')}:00.000`;
    return `${at}\tTrend (EURUSD,H1)\tline ${from + index}`;
  });

/** How far the reader is from the end, in pixels. */
const toEndOf = (page: Page): Promise<number> =>
  page.getByRole('log').evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);

flow('a log is read by source, day and text, and is followed only at its end', async (visit) => {
  const { user, token, berth } = await scene.server.register('Mary Somerville');
  const [id = ''] = await scene.createTerminals(token, ['Log desk']);
  const page = await visit.open('/sign-in', { as: user });
  await page.clock.install();
  await page.goto(`${visit.url}/terminals/${id}?tab=logs`);
  const answer = async (lines: string[]): Promise<Record<string, unknown>> => {
    const [task] = await scene.claim('EA_LOGS');
    await scene.complete([task!], { lines, truncated: false });
    return task!.payload;
  };
  const countReadings = async () => (await berth.tasks.page(id, { type: 'EA_LOGS' })).pagination.total;
  const log = page.getByRole('log');
  const read = page.getByRole('button', { name: /^(Load log|Refresh)$/ });
  // To look at the page is not to ask for a task.
  await see(page.getByText('Log not loaded yet')).toBeVisible();
  expect(await countReadings()).toBe(0);
  await read.last().click();
  expect(await answer(toLines(0, 300))).toMatchObject({ source: 'experts' });
  await see(log).toContainText('line 299');
  await see(page.getByText('300 lines')).toBeVisible();
  expect(await log.locator('.log-row').count()).toBeLessThan(100);
  await visit.assertSound(page);

  await page.getByLabel('Filter lines').fill('line 29');
  await see(page.getByText('11 of 300 lines')).toBeVisible();
  await page.getByRole('button', { name: 'Search full day' }).click();
  expect(await answer(toLines(290, 300))).toMatchObject({ contains: 'line 29' });
  await see(page.getByText('10 lines')).toBeVisible();
  await page.getByLabel('Filter lines').fill('');
  await see(page.getByText('300 lines')).toBeVisible();

  await page.getByLabel('Date', { exact: true }).fill('2026-03-01');
  await read.last().click();
  expect(await answer([])).toMatchObject({ date: '2026-03-01' });
  await see(page.getByText('Nothing was logged on this day.')).toBeVisible();
  await page.getByRole('button', { name: 'Journal' }).click();
  await read.last().click();
  expect(await answer(toLines(0, 3))).toMatchObject({ source: 'journal', date: '2026-03-01' });
  await see(log).toContainText('line 2');
  await page.getByRole('button', { name: 'Experts' }).click();
  await page.getByRole('button', { name: 'Today' }).click();
  await see(log).toContainText('line 299');
  // What was read a moment ago is shown again, and not read again.
  expect(await countReadings()).toBe(4);

  await page.getByRole('button', { name: 'Follow', exact: true }).click();
  await answer(toLines(0, 310));
  await see(log).toContainText('line 309');
  await page.clock.fastForward(10_000);
  await answer(toLines(0, 320));
  await see(log).toContainText('line 319');
  await see.poll(() => toEndOf(page)).toBeLessThan(40);
  const readings = await countReadings();

  await log.evaluate((element) => element.scrollTo(0, 0));
  await see(log).toContainText('line 0');
  await see(page.getByRole('button', { name: 'Jump to end' })).toBeVisible();
  for (let turn = 0; turn < 3; turn += 1) await page.clock.fastForward(10_000);
  await page.getByRole('button', { name: 'Jump to end' }).click();
  await see(log).toContainText('line 319');
  await see(page.getByRole('button', { name: 'Jump to end' })).toHaveCount(0);
  expect(await countReadings()).toBe(readings);
  await page.clock.fastForward(10_000);
  await answer(toLines(0, 330));
  await see(log).toContainText('line 329');
  expect(await countReadings()).toBe(readings + 1);
});
