// @module-tag browser
/** The day of a trader in a browser and nothing else, from a file of accounts to a mistyped password. Other flows look closer. */
import { useTestStack } from '@berth/testing';
import type { Berth } from '@berth/client';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';

const stack = useTestStack();
const flow = useBrowser(() => stack.url);

const accounts = [
  'Name,Server,Login,Password,Region,Tags',
  'Gold,Harbour-Demo,7401,pass-of-gold,0,prop|eu',
  'Silver,Harbour-Demo,7402,pass-of-silver,0,prop',
  'Tin,Harbour-Demo,7403,pass-of-tin,Atlantis,',
].join('\n');
const toFile = (name: string, content: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(content) });

/** What a trader wants done without him: the task, the days (none: every day), and the time in London. */
const wanted = [
  { name: 'Off for the weekend', task: 'Algo trading off', day: 'Friday', time: '21:00', cron: '0 21 * * 5' },
  { name: 'On again', task: 'Algo trading on', day: 'Monday', time: '00:05', cron: '5 0 * * 1' },
  { name: 'Fresh start', task: 'Restart terminals', day: 'Sunday', time: '03:00', cron: '0 3 * * 0' },
  { name: 'Evening', task: 'Take screenshots', day: undefined, time: '17:00', cron: '0 17 * * *' },
];
const dayInLondon = new Intl.DateTimeFormat('en-GB', { weekday: 'long', timeZone: 'Europe/London' });
const clockInLondon = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'Europe/London' });

const schedule = async (page: Page, berth: Berth): Promise<void> => {
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Tasks' }).click();
  await page.getByRole('link', { name: 'Schedules' }).click();
  for (const { name, task, day, time } of wanted) {
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const form = page.getByRole('dialog', { name: 'Create schedule' });
    await form.getByLabel('Task').selectOption(task);
    await form.getByLabel('Name').fill(name);
    await form.getByLabel('Repeat').selectOption(day === undefined ? 'Every day' : 'On chosen days');
    if (day !== undefined) await form.getByLabel(day).check();
    await form.getByLabel('Time', { exact: true }).fill(time);
    await form.getByLabel('Time zone').selectOption('Europe/London');
    await see(form.getByRole('listitem').first()).toContainText(time);
    await form.getByRole('button', { name: 'Create schedule' }).click();
    await see(form).toBeHidden();
    await see(rowOf(page, name).getByRole('listitem')).toHaveCount(3);
  }
  const kept = await berth.schedules.list().toArray();
  expect(kept.map(({ name, cron, time_zone, filter }) => ({ name, cron, time_zone, filter }))).toEqual(
    wanted.map(({ name, cron }) => ({ name, cron, time_zone: 'Europe/London', filter: {} })),
  );
  for (const [index, { day, time }] of wanted.entries()) {
    const times = kept[index]!.next_runs.map((at) => new Date(at));
    expect(times.map((at) => clockInLondon.format(at))).toEqual([time, time, time]);
    if (day !== undefined) expect(times.map((at) => dayInLondon.format(at))).toEqual([day, day, day]);
  }
};

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
flow(
  'a trader imports accounts, tags them, runs an expert on all, stops and starts them, mends a password, and has his week scheduled',
  async (visit) => {
    const { user, berth } = await stack.register('Ada Lovelace');
    const page = await visit.open('/terminals', { as: user });
    await page.getByRole('link', { name: 'Import accounts' }).click();
    await page.getByLabel('CSV file').setInputFiles(toFile('accounts.csv', accounts));
    await see(rowOf(page, 'Tin')).toContainText('Region is unknown.');
    await page.getByRole('button', { name: 'Check 2 lines' }).click();
    await page.getByRole('button', { name: 'Create 2 terminals' }).click();
    await see(page.getByText('2 terminals created.')).toBeVisible();
    await see(page.getByLabel('Accounts', { exact: true })).toHaveValue(/\nTin,/);
    await page.getByRole('navigation').getByRole('link', { name: 'Terminals', exact: true }).click();
    for (const name of ['Gold', 'Silver']) await see(rowOf(page, name)).toContainText('Active');

    await page.getByLabel('Filter by tag').selectOption('prop');
    await page.getByLabel('Select all on this page').check();
    await page.getByRole('button', { name: 'Experts…' }).click();
    await page.getByRole('menuitem', { name: 'Install expert…' }).click();
    const form = page.getByRole('dialog', { name: 'Install expert on 2 terminals' });
    await form.getByLabel('Expert (.ex5 or .ex4)').setInputFiles(toFile('Trend.ex5', 'a program'));
    await form.getByRole('button', { name: 'Install expert' }).click();
    const closeResults = async (name: string): Promise<void> => {
      const results = page.getByRole('dialog', { name });
      await see(results).toContainText(/ on both terminals\./);
      await results.getByRole('button', { name: 'Close' }).click();
    };
    await closeResults('Install expert');

    const run = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Run task…' }).click();
      await page.getByRole('menuitem', { name, exact: true }).click();
    };
    await run('Stop');
    await page.getByRole('button', { name: 'Stop 2 terminals' }).click();
    await closeResults('Stop');
    for (const name of ['Gold', 'Silver']) await see(rowOf(page, name)).toContainText('Stopped');
    await run('Start');
    await closeResults('Start');
    for (const name of ['Gold', 'Silver']) await see(rowOf(page, name)).toContainText('Active');
    await run('Restart');
    await closeResults('Restart');

    await rowOf(page, 'Gold').getByRole('link').first().click();
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'Take snapshot' }).click();
    const snapshots = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Snapshots' }) });
    await see(snapshots.getByRole('listitem').first()).toContainText('1 chart, 1 expert taken by you');
    await snapshots.getByRole('link', { name: 'Create terminal' }).first().click();
    const clone = page.getByRole('dialog', { name: 'Create terminal' });
    await clone.getByLabel('Trading server').fill('Harbour-Demo');
    await clone.getByLabel('Login').fill('7404');
    await clone.getByLabel('Password').fill('pass-of-copy');
    await clone.getByLabel('Name').fill('Copy');
    await clone.getByRole('button', { name: 'Create terminal' }).click();
    const created = page.getByRole('dialog', { name: 'Terminal created' });
    await created.getByRole('link', { name: 'Open terminal' }).click();
    await see(page.getByRole('heading', { name: 'Copy', level: 1 })).toBeVisible();
    await page.getByRole('link', { name: 'Charts & experts' }).click();
    await see(page.locator('.chart-card').filter({ hasText: 'Trend' })).toBeVisible();

    await page.getByRole('main').getByRole('link', { name: 'Account', exact: true }).click();
    const login = page.locator('form').filter({ has: page.getByRole('button', { name: 'Log in', exact: true }) });
    await login.getByLabel('Password').fill('mistyped');
    await login.getByRole('button', { name: 'Log in', exact: true }).click();
    await page.getByRole('button', { name: 'Why is it not running?' }).click();
    const why = page.getByRole('region', { name: 'Why is it not running?' });
    await see(why).toContainText('Harbour-Demo refuses the login 7404.');
    await why.getByLabel('Password').fill('pass-of-copy');
    await why.getByRole('button', { name: 'Log in' }).click();
    await see(page.getByRole('button', { name: 'Why is it not running?' })).toHaveCount(0);
    await schedule(page, berth);
  },
);
