// @module-tag browser
/** What is offered while a form is filled in, or a list is filtered: tags, servers and snapshots of other terminals. */
import { loginProblemTexts, TerminalStatus } from '@berth/contract';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { placeTerminals } from './support/many-terminals.ts';
import { assertNoSideScroll } from './support/page.ts';

const { scene, flow } = useHostScene();
const { ACTIVE, LOGIN_FAILED } = TerminalStatus;

flow('the filter by tag offers the tags of all terminals, also of those on other pages', async (visit) => {
  const { user } = await scene.server.register('Ada Lovelace');
  const names = Array.from({ length: 51 }, (_, index) => ({ name: `Desk ${index + 100}`, status: ACTIVE }));
  const ids = await placeTerminals(scene, user.id, names);
  await scene.server.query(`update terminals set tags = '{rare}' where id = $1`, [ids.at(-1)]);
  const page = await visit.open('/terminals?sort=name', { as: user });
  await see(page.locator('.rows tr')).toHaveCount(50);
  await see(page.locator('.rows')).not.toContainText('rare');
  await page.getByLabel('Filter by tag').selectOption('rare');
  await see(page.locator('.rows tr')).toHaveCount(1);
});

flow(
  'a terminal that does not know its server is offered those of other terminals, in the list and there',
  async (visit) => {
    const { user } = await scene.server.register('Ada Lovelace');
    const [id = ''] = await placeTerminals(scene, user.id, [
      { name: 'Lost', serverName: 'Harbor-Demo', status: LOGIN_FAILED, reason: loginProblemTexts.server_unknown },
      { name: 'Twin', serverName: 'Quay-Live', status: ACTIVE },
    ]);
    const page = await visit.open('/terminals', { as: user, viewport: { width: 375, height: 800 } });
    await see(page.getByRole('link', { name: /^Why is .*Twin/ })).toHaveCount(0);
    await page.getByRole('link', { name: /^Why is .*Lost/ }).click();
    await see(page).toHaveURL(new RegExp(`/terminals/${id}\\?why=true$`));
    const panel = page.getByRole('region', { name: 'Why is it not running?' });
    const known = panel.getByRole('group', { name: 'Servers of your other terminals' }).getByRole('button');
    await see(known).toHaveText(['Quay-Live']);
    await known.click();
    await see(panel.getByLabel('Trading server', { exact: true })).toHaveValue('Quay-Live');
    await assertNoSideScroll(page);
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Why is it not running?' }).click();
    await see(panel).toHaveCount(0);
  },
);

flow('a new terminal is set up like another one, by a snapshot that is chosen in its form', async (visit) => {
  const { user, berth } = await scene.server.register('Ada Lovelace');
  const [first = ''] = await placeTerminals(scene, user.id, [
    { name: 'First', login: '1', status: ACTIVE },
    { name: 'Second', login: '2', status: ACTIVE },
  ]);
  const { id: snapshotId } = await berth.terminals.takeSnapshot(first);
  const page = await visit.open('/terminals?create=true', { as: user });
  const form = page.getByRole('dialog', { name: 'Create terminal' });
  await form.getByLabel('Trading server').fill('Harbour-Demo');
  await form.getByLabel('Login').fill('7301');
  await form.getByLabel('Password').fill('trade-me');
  await form.getByLabel('Set up like another terminal').check();
  await form.getByRole('button', { name: 'Create terminal' }).click();
  await see(form.getByText('Choose a terminal and one of its snapshots.')).toBeVisible();
  await form.getByLabel('Find terminal').fill('fir');
  const choice = form.getByLabel('Terminal', { exact: true });
  await see(choice.getByRole('option')).toHaveText(['Choose…', 'First (1)']);
  await choice.selectOption('First (1)');
  await form.getByLabel('Snapshot').selectOption({ index: 1 });
  await see(form.getByLabel('Turn algo trading on')).not.toBeChecked();
  await visit.assertSound(page);
  const sent = page.waitForRequest((request) => request.method() === 'POST' && /\/terminals(\?|$)/.test(request.url()));
  await form.getByRole('button', { name: 'Create terminal' }).click();
  const body = (await sent).postDataJSON() as object;
  expect(body).toMatchObject({ login: '7301', snapshot_id: snapshotId });
  expect(body).not.toHaveProperty('allow_algo_trading');
  await see(page.getByRole('dialog', { name: 'Creating terminal' })).toBeVisible();
});
