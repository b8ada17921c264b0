// @module-tag browser
/** Importing accounts: pasted lines are checked one by one, corrected, and created without doing so twice. */
import { Berth } from '@berth/client';
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const { scene, flow } = useHostScene({ capacity: 12 });

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

const ownerOf = (token: string): Berth => new Berth({ baseUrl: scene.server.url, token });

const text = [
  'Name;Server;Login;Password;Region;Tags',
  '=HYPERLINK("http://evil.example");Harbour-Demo;7001;first-secret;0;prop|eu',
  'Silver;Harbour-Demo;7002;second-secret;Atlantis;',
  'Gold;Harbour-Demo;7003;third-secret;0;prop',
  'Gold again;harbour-demo;007003;fourth-secret;0;',
].join('\n');

flow(
  'accounts are pasted, checked line by line, created once though the answer is lost, and the rest corrected',
  async (visit) => {
    const { user, token } = await scene.server.register('Ada Lovelace');
    const known = { server_name: 'Harbour-Demo', login: '7003', password: 'trade-me', region: 0 };
    const { terminals } = ownerOf(token);
    await terminals.create(known);
    const page = await visit.open('/terminals', { as: user, mayBe: [/ERR_FAILED|Failed to load/] });
    await page.getByRole('link', { name: 'Import accounts' }).click();
    await see(page.getByRole('heading', { name: 'Import accounts', level: 1 })).toBeVisible();
    const field = page.getByLabel('Accounts', { exact: true });
    await field.fill(text);
    await see(rowOf(page, 'Silver')).toContainText('Region is unknown.');
    await see(rowOf(page, 'Gold again')).toContainText('Same account as line 4.');
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Check 2 lines' }).click();
    await see(rowOf(page, '=HYPERLINK')).toContainText('OK');
    await see(rowOf(page, 'Gold').filter({ hasText: 'uses the same account' })).toHaveCount(1);

    // The server creates it, and the answer never arrives.
    let lost = 0;
    await page.route('**/terminals/bulk', async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    await page.getByRole('button', { name: 'Create 1 terminal' }).click();
    await see(page.getByText('1 terminal created.')).toBeVisible();
    expect([lost, await terminals.list().toArray()]).toMatchObject([1, { length: 2 }]);
    await see(field).not.toHaveValue(/7001/);
    await see(field).toHaveValue(/^Name;Server;Login;Password;Region;Tags\nSilver.*\nGold;.*\nGold again/);

    await field.fill((await field.inputValue()).replace('Atlantis', 'london').replace(/\nGold again.*/, ''));
    await page.getByRole('button', { name: 'Check 2 lines' }).click();
    await page.getByLabel('Also create terminals for accounts that you already have').check();
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Create 2 terminals' }).click();
    await see(page.getByText('2 terminals created.')).toBeVisible();
    await see(field).toHaveValue('');
    expect(await terminals.list().toArray()).toHaveLength(4);
    const kept = await page.evaluate<string>(
      'JSON.stringify([location.href, history.state, {...localStorage}, {...sessionStorage}])',
    );
    expect(kept + (await page.content())).not.toMatch(/-secret/);
    await page.getByRole('link', { name: 'Gold', exact: true }).click();
    await see(page.getByRole('heading', { name: 'Gold', level: 1 })).toBeVisible();
  },
);

flow('on a phone a file of 100,000 lines is refused at once, and the text stays as it was', async (visit) => {
  const { user } = await scene.server.register('Grace Hopper');
  const page = await visit.open('/terminals/import', { as: user, viewport: { width: 375, height: 720 } });
  const field = page.getByLabel('Accounts', { exact: true });
  await field.fill('Morning desk\tHarbour-Demo\t7100\tsome-secret');
  await see(page.getByRole('button', { name: 'Check 1 line' })).toBeEnabled();
  const file = (lines: number) => ({
    name: 'accounts.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from('Desk,Harbour-Demo,7200,some-secret\n'.repeat(lines)),
  });
  await page.getByLabel('CSV file').setInputFiles(file(100_000));
  await see(page.getByRole('alert')).toContainText('That is too large.');
  await page.getByLabel('CSV file').setInputFiles(file(600));
  await see(page.getByRole('alert')).toContainText('Too many lines. Import up to 500 accounts at a time.');
  await see(field).toHaveValue(/7100/);
  await page.getByLabel('CSV file').setInputFiles(file(1));
  await see(page.getByRole('alert')).toHaveCount(0);
  await see(rowOf(page, '7200')).toContainText('Not checked yet');
  await assertNoSideScroll(page);
  await visit.assertSound(page);
});
