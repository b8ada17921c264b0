import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { createTerminal } from './support/terminals.ts';

const { scene, flow } = useHostScene();

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
  await see(dialog.getByRole('alert')).toHaveText('Same account as First: experts trade twice');
  // Nothing waits for the host when the next flow begins.
  await scene.complete(await scene.claim('TERMINAL_INSTALL', 2), { path: '/terminals/one', build: 1 });
});

/** Two terminals of one account, as a login to it leaves them. */
const createTwins = async (token: string, logins: readonly [string, string]): Promise<string[]> => {
  const ids: string[] = [];
  for (const [place, login] of logins.entries()) {
    const name = place === 0 ? 'First' : 'Second';
    ids.push((await createTerminal(scene.server, token, { name, login })).id);
  }
  await scene.complete(await scene.claim('TERMINAL_INSTALL', 2), { path: '/terminals/one', build: 1 });
  await scene.server.query(`update terminals set status = 3 where id = any($1)`, [ids]);
  return ids;
};

flow(
  'a login to an account that another terminal has is said on the page of both, and in the list, until it ends',
  async (visit) => {
    const { user, token } = await scene.server.register('Grace Hopper');
    const [, id] = await createTwins(token, ['6001', '6002']);
    const page = await visit.open(`/terminals/${id}?tab=account`, { as: user });
    await page.getByLabel('Login', { exact: true }).first().fill('6001');
    const form = page
      .locator('form')
      .filter({ has: page.getByLabel('Login', { exact: true }) })
      .first();
    await form.getByLabel('Password').fill('trade-me');
    await form.locator('button[type=submit]').click();
    const account = { login: '6001', server_name: 'Harbour-Demo', connected: true, ping_ms: 10 };
    await scene.complete(await scene.claim('ACCOUNT_LOGIN'), account);
    await see(page.getByText('Same account as First: experts trade twice')).toBeVisible();
    await page.getByRole('link', { name: 'First' }).click();
    await see(page.getByRole('heading', { level: 1 })).toHaveText('First');
    await see(page.getByText('Same account as Second: experts trade twice')).toBeVisible();
    await page.goto(`${visit.url}/terminals`);
    const lines = page.locator('.rows .same-account');
    await see(lines).toHaveText([/^Same account as /, /^Same account as /]);
    await visit.assertSound(page);
    await scene.server.query(`update terminals set login = '6002' where id = $1`, [id]);
    await see(lines).toHaveCount(0);
  },
);

flow('the results of a run of logins say which terminals share an account', async (visit) => {
  const { user, token } = await scene.server.register('Emmy Noether');
  await createTwins(token, ['7001', '7001']);
  const page = await visit.open('/terminals', { as: user });
  await page.getByLabel('Select all on this page').check();
  await page.getByRole('button', { name: 'Run task…' }).click();
  await page.getByRole('menuitem', { name: 'Log in again' }).click();
  const account = { login: '7001', server_name: 'Harbour-Demo', connected: true, ping_ms: 10 };
  await scene.complete(await scene.claim('ACCOUNT_LOGIN', 2), account);
  const dialog = page.getByRole('dialog', { name: 'Log in' });
  await see(dialog).toContainText('Done on both terminals.');
  await see(dialog.getByRole('listitem').filter({ hasText: WARNING })).toHaveCount(1);
  await see(dialog.getByRole('listitem').filter({ hasText: 'experts on both would trade twice.' })).toHaveCount(2);
});
