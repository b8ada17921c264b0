// @module-tag browser
/** The day of a trader in a browser and nothing else, from a file of accounts to a mistyped password. Other flows look closer. */
import { useTestStack } from '@berth/testing';
import type { Page } from '@playwright/test';
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

const rowOf = (page: Page, name: string) => page.getByRole('row').filter({ hasText: name });
flow(
  'a trader imports accounts, tags them, runs an expert on all, stops and starts them, and mends a password',
  async (visit) => {
    const { user } = await stack.register('Ada Lovelace');
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
      await see(results).toContainText(/ on all 2 terminals\./);
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
  },
);
