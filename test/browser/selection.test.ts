// @module-tag browser
/** What is done with several terminals at once, besides tasks without a form: tags, and experts with a preset. */
import { readFile } from 'node:fs/promises';
import { Berth } from '@berth/client';
import { parseSetFile } from '@berth/client/set-file';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const { scene, flow } = useHostScene({ capacity: 12 });

flow(
  'terminals are tagged together, filtered by a tag in the address, and one gets notes of its own',
  async (visit) => {
    const { user, token } = await scene.server.register('Ada Lovelace');
    const [alpha] = await scene.createTerminals(token, ['Alpha', 'Beta', 'Gamma']);
    const page = await visit.open('/terminals', { as: user });
    await page.getByLabel('Select Alpha').check();
    await page.getByLabel('Select Beta').check();
    await page.getByRole('button', { name: 'Tags…' }).click();
    const form = page.getByRole('dialog', { name: 'Tags of 2 terminals' });
    await form.getByRole('button', { name: 'Save tags' }).click();
    await see(form.getByText('Enter a tag to add or to remove.')).toBeVisible();
    await form.getByLabel('Add tags').fill('prop, <b>eu');
    await visit.assertSound(page);
    await form.getByRole('button', { name: 'Save tags' }).click();
    await see(form).toHaveCount(0);
    await see(page.getByRole('row').filter({ hasText: 'Beta' })).toContainText('<b>euprop');
    await page.getByLabel('Filter by tag').selectOption('prop');
    await see(page.getByRole('row').filter({ hasText: 'Gamma' })).toHaveCount(0);
    expect(new URL(page.url()).searchParams.get('tag')).toBe('prop');
    await visit.assertSound(page);

    await page.goto(`${visit.url}/terminals/${alpha}?tab=settings`);
    const card = page.locator('.card').filter({ hasText: 'Tags and notes' });
    await see(card.getByLabel('Tags')).toHaveValue('<b>eu, prop');
    await card.getByLabel('Tags').fill('prop');
    await card.getByLabel('Notes').fill('Calls at nine.\nOnly on weekdays.');
    await card.getByRole('button', { name: 'Save' }).click();
    await page.reload();
    await see(card.getByLabel('Tags')).toHaveValue('prop');
    await see(card.getByLabel('Notes')).toHaveValue('Calls at nine.\nOnly on weekdays.');
    await page.setViewportSize({ width: 375, height: 720 });
    await assertNoSideScroll(page);
    await visit.assertSound(page);
  },
);

/** Of the page at its end: which parts a lasting message, the bar or the button that stops covers. */
const FIND_COVERED = `(() => {
  const find = (selector) => document.querySelector(selector).getBoundingClientRect();
  const parts = ['.toasts', '.dock', '.stop-all'].map((name) => [name, find(name)]);
  parts.push(['foot', find('.page > :last-child:not(.dock), .page > :nth-last-child(2)')]);
  const meet = (a, b) => a.top < b.bottom && b.top < a.bottom && a.left < b.right && b.left < a.right;
  const pairs = parts.flatMap(([one, a], at) => parts.slice(at + 1).map(([other, b]) => [one, other, meet(a, b)]));
  return pairs.filter(([, , isMet]) => isMet);
})()`;

flow(
  'an expert is installed on a selection with a preset as one run, repeated where it failed, updated and removed',
  async (visit) => {
    const { user, token } = await scene.server.register('Grace Hopper');
    await scene.createTerminals(token, ['North', 'South']);
    const page = await visit.open('/terminals', { as: user });
    await page.getByLabel('Select all on this page').check();
    const choose = async (name: string): Promise<void> => {
      await page.getByRole('button', { name: 'Experts…' }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Install expert…');
    const form = page.getByRole('dialog', { name: 'Install expert on 2 terminals' });
    const file = (content: string) => ({ name: 'Trend.ex5', mimeType: 'x/y', buffer: Buffer.from(content) });
    await see(form).toContainText('No inputs: the expert runs with its defaults.');
    await form.getByLabel('Expert (.ex5 or .ex4)').setInputFiles(file('the first program'));
    await form.getByRole('button', { name: 'Import preset…' }).click();
    await form.getByLabel('Or paste its lines').fill('Lots=0.20||0.1||0.01||1||N\nNote=a=b');
    await form.getByRole('button', { name: 'Use these inputs' }).click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      form.getByRole('button', { name: 'Save as preset' }).click(),
    ]);
    const preset = await readFile(await download.path());
    expect(download.suggestedFilename()).toBe('preset.set');
    expect(parseSetFile(preset)).toEqual({ Lots: '0.20', Note: 'a=b' });
    await visit.assertSound(page);
    await form.getByRole('button', { name: 'Install expert' }).dblclick();
    const [first, second] = await scene.claim('EA_INSTALL', 2);
    expect(first!.payload).toMatchObject({ name: 'Trend', symbol: 'EURUSD', inputs: { Lots: '0.20', Note: 'a=b' } });
    await see(form).toHaveCount(0);
    const runs = new Berth({ baseUrl: scene.server.url, token }).bulkRuns;
    expect(await runs.list().toArray()).toHaveLength(1);
    await scene.complete([first!], { chart_id: 'c1' });
    await scene.fail([second!], { ok: false, code: 'E_SYMBOL', message: 'EURUSD is unknown.' });
    const results = page.getByRole('dialog', { name: 'Install expert' });
    await see(results.getByRole('listitem').first()).toContainText('EURUSD is unknown.');
    await results.getByRole('button', { name: 'Run again on the failed one' }).click();
    const again = await scene.claim('EA_INSTALL', 1);
    expect(again[0]!.terminal.id).toBe(second!.terminal.id);
    await scene.complete(again, { chart_id: 'c1' });
    await see(results).toContainText('Done.');
    await results.getByRole('button', { name: 'Close' }).click();

    await choose('Update expert…');
    const update = page.getByRole('dialog', { name: 'Update expert on 2 terminals' });
    await see(update).toContainText('No inputs: they stay as they are on each chart.');
    await update.getByRole('button', { name: 'Update on 2 terminals' }).click();
    await see(update.getByText('Choose a file, or change inputs.')).toBeVisible();
    await update.getByLabel('Expert (.ex5 or .ex4)').setInputFiles(file('the second program'));
    await see(update.getByLabel('Expert', { exact: true })).toHaveValue('Trend');
    await visit.assertSound(page);
    await update.getByRole('button', { name: 'Update on 2 terminals' }).click();
    const updates = await scene.claim('EA_UPDATE', 2);
    expect(updates[0]!.payload).toMatchObject({ name: 'Trend', file_id: updates[1]!.payload.file_id });
    await scene.fail(updates, { ok: false, code: 'E_FILE', message: 'No chart has it.' });
    await page.getByRole('dialog', { name: 'Update expert' }).getByRole('button', { name: 'Close' }).click();

    await see(page.locator('.toast')).toContainText('Update expert');
    for (const width of [375, 1366]) {
      await page.setViewportSize({ width, height: 768 });
      await page.mouse.wheel(0, 10_000);
      await see.poll(() => page.evaluate(FIND_COVERED)).toEqual([]);
    }

    await choose('Remove expert…');
    const remove = page.getByRole('dialog', { name: 'Remove expert from 2 terminals' });
    await remove.getByLabel('Expert', { exact: true }).fill('Trend');
    await remove.getByLabel('Also delete its file').check();
    await remove.getByRole('button', { name: 'Remove from 2 terminals' }).click();
    const removals = await scene.claim('EA_REMOVE', 2);
    expect(removals[0]!.payload).toEqual({ name: 'Trend', delete_file: 1 });
  },
);

flow('the library of experts says what runs where, and updates all terminals that run the old file', async (visit) => {
  const { user, token } = await scene.server.register('Lise Meitner');
  const ids = await scene.createTerminals(token, ['East', 'West']);
  const files = new Berth({ baseUrl: scene.server.url, token }).files;
  const { sha256 } = await files.upload('Trend.ex5', 'the first program');
  const expert = { name: 'Trend', sha256, inputs: {}, allow_algo_trading: 1, allow_dll: 0, state: 'running' };
  const charts = JSON.stringify([{ chart_id: 'c1', symbol: 'EURUSD', period: 'H1', expert }]);
  await scene.server.query(
    `insert into terminal_charts (terminal_id, host_id, charts, truncated)
     select id, host_id, $2::json, false from terminals where id = any($1)`,
    [ids, charts],
  );
  const page = await visit.open('/account?tab=experts', { as: user });
  const row = page.getByRole('row').filter({ hasText: sha256.slice(0, 10) });
  await see(row).toContainText('2 terminals');
  await see(row.getByRole('button')).toHaveCount(0);
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Upload file' }).click(),
  ]);
  await chooser.setFiles({ name: 'Trend.ex5', mimeType: 'x/y', buffer: Buffer.from('the second program') });
  await row.getByRole('button', { name: 'Update all with' }).click();
  await visit.assertSound(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Update on 2 terminals' }).click();
  const tasks = await scene.claim('EA_UPDATE', 2);
  const [newest] = (await files.page({ per_page: 1 })).data;
  expect(tasks.map(({ payload }) => payload)).toEqual(Array(2).fill({ name: 'Trend', file_id: newest?.id }));
  await scene.fail(tasks, { ok: false, code: 'E_FILE', message: 'No chart has it.' });
  await page.getByRole('dialog', { name: 'Update expert' }).getByRole('button', { name: 'Close' }).click();
  await page.getByRole('link', { name: 'Terminals', exact: true }).click();
  await page.getByLabel('Select East').check();
  await page.getByRole('button', { name: 'Experts…' }).click();
  await page.getByRole('menuitem', { name: 'Remove expert…' }).click();
  await see(page.getByRole('dialog').locator('datalist option')).toHaveAttribute('value', 'Trend');
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 375, height: 720 });
  await assertNoSideScroll(page);
  await visit.assertSound(page);
});
