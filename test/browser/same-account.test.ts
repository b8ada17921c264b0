// @module-tag browser
/** Two terminals on one account trade twice: that is said where a terminal is created, where a login ends, and in a run. */
import { afterAll, beforeAll } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { createTerminal } from './support/terminals.ts';

let scene: HostScene;
beforeAll(async () => {
  scene = await HostScene.start();
});
afterAll(() => scene?.close());

const flow = useBrowser(() => scene.server.url);

const WARNING = /Your terminal "First" .* uses the same account: experts on both would trade twice\./;

flow('a terminal on an account that another one has is created, with a warning', async (visit) => {
  const { user, token } = await scene.server.register('Ada Lovelace');
  await createTerminal(scene.server, token, { name: 'First', login: '5001' });
  const page = await visit.open('/terminals?create=true', { as: user });
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Trading server').fill('Harbour-Demo');
  await dialog.getByLabel('Login', { exact: true }).fill('5001');
  await dialog.getByLabel('Password').fill('trade-me');
  await dialog.getByRole('button', { name: 'Create terminal' }).click();
  await see(dialog.getByRole('alert')).toContainText(WARNING);
  await visit.assertSound(page);
  // Nothing waits for the host when the next flow begins.
  await scene.complete(await scene.claim('TERMINAL_INSTALL', 2), { path: '/terminals/one', build: 1 });
});

flow('a login to an account that another one has ends with a warning, and a run of logins shows it', async (visit) => {
  const { user, token } = await scene.server.register('Grace Hopper');
  const { id: firstId } = await createTerminal(scene.server, token, { name: 'First', login: '6001' });
  const { id } = await createTerminal(scene.server, token, { name: 'Second', login: '6002' });
  const installs = await scene.claim('TERMINAL_INSTALL', 2);
  await scene.complete(installs, { path: '/terminals/one', build: 1 });
  await scene.server.query(`update terminals set status = 3 where id = any($1)`, [[firstId, id]]);
  const page = await visit.open(`/terminals/${id}?tab=account`, { as: user });
  const form = page
    .getByRole('form')
    .filter({ has: page.getByLabel('Login', { exact: true }) })
    .first();
  await form.getByLabel('Login', { exact: true }).fill('6001');
  await form.getByLabel('Password').fill('trade-me');
  await form.locator('button[type=submit]').click();
  const account = { login: '6001', server_name: 'Harbour-Demo', connected: true, ping_ms: 10 };
  await scene.complete(await scene.claim('ACCOUNT_LOGIN'), account);
  await see(page.getByRole('alert').filter({ hasText: WARNING })).toBeVisible();
  await visit.assertSound(page);

  await page.goto(`${visit.url}/terminals`);
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Run task…' }).click();
  await page.getByRole('menuitem', { name: 'Log in again' }).click();
  await scene.complete(await scene.claim('ACCOUNT_LOGIN', 2), account);
  const dialog = page.getByRole('dialog', { name: 'Log in' });
  await see(dialog).toContainText('Done on all 2 terminals.');
  await see(dialog.getByRole('listitem').filter({ hasText: 'Second' }).last()).toContainText(WARNING);
  await visit.assertSound(page);
});
