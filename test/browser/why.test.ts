// @module-tag browser
/** Why a terminal is not running: asked by its owner, repaired in place, and looked up by an operator. */
import { loginProblemTexts, REFUSED_FOR_NOW, TerminalStatus } from '@berth/contract';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const { scene, flow } = useHostScene();

const report = (id: string, status: number, reason: string) =>
  scene.host.report({ kind: 'terminal', terminal_id: id, status, reason } as never);

const createOne = async (name: string) => {
  const { user, token } = await scene.server.register(`Owner of ${name}`);
  const [id = ''] = await scene.createTerminals(token, [name]);
  return { user, id };
};

const ask = async (page: Page) => {
  await page.getByRole('button', { name: 'Why is it not running?' }).click();
  return page.getByRole('region', { name: 'Why is it not running?' });
};
const stepOf = (page: Page, name: string) =>
  page
    .getByRole('list', { name: 'What was checked, in order' })
    .getByRole('listitem')
    .filter({ hasText: new RegExp(`^${name}`) });

flow('whoever entered a wrong password reads what is wrong, and enters the right one there', async (visit) => {
  const { user, id } = await createOne('Mistyped');
  await report(id, TerminalStatus.LOGIN_FAILED, `Harbour-Demo ${loginProblemTexts.refused}Invalid account).`);
  const page = await visit.open('/terminals', { as: user });
  await page.getByRole('link', { name: /Why is .*Mistyped.* not running\?/ }).click();
  const panel = page.getByRole('region', { name: 'Why is it not running?' });
  await see(panel).toContainText(/Harbour-Demo refuses the login \S+\. Since/);
  await see(stepOf(page, 'Host')).toContainText('OK. quay-1 is online.');
  await see(stepOf(page, 'Login')).toContainText('Wrong. Harbour-Demo refused the login (Invalid account).');
  await see(stepOf(page, 'Connection')).toContainText('Not checked yet.');
  await visit.assertSound(page);
  const form = panel.getByRole('form', { name: 'Log in' });
  await form.getByRole('button', { name: 'Log in' }).click();
  await see(form.getByText('Enter the password of the trading account.')).toBeVisible();
  await form.getByLabel('Password').fill('right-this-time');
  await form.getByRole('button', { name: 'Log in' }).click();
  const [task] = await scene.claim('ACCOUNT_LOGIN');
  expect(task).toMatchObject({ payload: { server_name: 'Harbour-Demo' }, secrets: { password: 'right-this-time' } });
  await see(panel).toContainText('The login is under way.');
  await see(form).toHaveCount(0);
  await report(id, TerminalStatus.ACTIVE, '');
  await see(page.getByRole('button', { name: 'Why is it not running?' })).toHaveCount(0);
});

flow(
  'an unknown server has the form for servers, and a closed broker none: the terminal tries again',
  async (visit) => {
    const { user, id } = await createOne('Lost');
    await report(id, TerminalStatus.LOGIN_FAILED, loginProblemTexts.server_unknown);
    const page = await visit.open(`/terminals/${id}`, { as: user, viewport: { width: 375, height: 800 } });
    const panel = await ask(page);
    await see(panel.getByRole('form', { name: 'Trading servers' })).toBeVisible();
    await see(panel.getByLabel('Trading server', { exact: true })).toBeVisible();
    await assertNoSideScroll(page);
    await visit.assertSound(page);
    await report(id, TerminalStatus.DISCONNECTED, `Harbour-Demo ${REFUSED_FOR_NOW} (Common error).`);
    await see(panel).toContainText('Harbour-Demo does not take logins at the moment.');
    await see(panel).toContainText('The terminal tries again by itself, without end.');
    await see(panel.getByRole('form')).toHaveCount(0);
  },
);

flow('an operator finds the terminal of a user by the address, and reads what to do about it', async (visit) => {
  const operator = await scene.server.registerOperator();
  const { user, id } = await createOne('Sought');
  await report(id, TerminalStatus.LOGIN_FAILED, `Harbour-Demo ${loginProblemTexts.refused}Invalid account).`);
  const page = await visit.open('/all-terminals', { as: operator.user });
  await page.getByRole('searchbox', { name: 'Search name, login, user' }).fill(user.email);
  const row = page.getByRole('row', { name: /Sought/ });
  await see(row).toContainText('quay-1');
  await see(page.getByRole('row')).toHaveCount(2);
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await see(row).toContainText('Login failed');
  expect(page.url()).toContain('status=failed');
  await visit.assertSound(page);
  await row.getByRole('button', { name: 'Why is Sought not running?' }).click();
  const sheet = page.getByRole('dialog', { name: /Why is .*Sought.* not running\?/ });
  await see(sheet).toContainText('The owner checks login and password');
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await see(sheet).toHaveCount(0);
  await row.getByRole('button', { name: 'quay-1' }).click();
  await see(page.getByRole('button', { name: /Host: .*quay-1/ })).toBeVisible();
  await page.setViewportSize({ width: 375, height: 800 });
  await assertNoSideScroll(page);
  const other = await visit.open('/all-terminals', { as: user });
  await see(other.getByText('Only operators see all terminals')).toBeVisible();
});
