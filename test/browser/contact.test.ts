// @module-tag browser
/** Contact with the server is lost: what a page says of it, and what it does when contact is back. */
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { PATIENCE_MS, see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

const LOST = [/net::ERR_/];
const BAR = /^No contact since \d\d:\d\d:\d\d UTC\. Everything below is from then\.$/;

/** Requests get no further than the browser, while the stream of events stays open. */
const cut = async (page: Page): Promise<void> => {
  await page.route('**/v1/**', (route) =>
    new URL(route.request().url()).pathname.endsWith('/events') ? route.continue() : route.abort('connectionrefused'),
  );
};

/** How the shape of the first status is filled. */
const FILL = `getComputedStyle(document.querySelector('main .status .shape')).backgroundColor`;

const live = (page: Page) => page.getByText('Live', { exact: true });
const placeOf = (page: Page) => page.getByRole('heading', { level: 1 }).boundingBox();

flow('without contact one bar says since when, nothing moves, and actions are off until it is back', async (visit) => {
  const { user, token } = await scene.server.register('Ada Lovelace');
  const [id = ''] = await scene.createTerminals(token, ['Quay']);
  const page = await visit.open(`/terminals/${id}`, { as: user, mayBe: LOST });
  await see(live(page)).toBeVisible();
  const action = page.getByRole('button', { name: 'Take screenshot' });
  await see(action).toBeEnabled();
  const place = await placeOf(page);
  const toFill = () => page.evaluate<string>(FILL);
  const filled = await toFill();

  await cut(page);
  await action.click();
  await see(page.getByRole('alert').filter({ hasText: BAR })).toBeVisible();
  await see(live(page)).toHaveCount(0);
  await see(page.getByText('Offline', { exact: true })).toBeVisible();
  expect(await placeOf(page)).toEqual(place);
  await see(action).toHaveAttribute('aria-disabled', 'true');
  await see(action).toHaveAccessibleDescription(/^No contact with the server/);
  await see.poll(toFill, { timeout: PATIENCE_MS }).not.toBe(filled);
  // What the page asks for anew meanwhile is waited for, and says nothing of its own.
  await page.getByRole('link', { name: 'Logs' }).click();
  await page.getByRole('link', { name: 'Tasks' }).last().click();
  await see(page.getByRole('alert')).toHaveCount(1);
  await see(page.getByText(/Couldn’t reach the server/)).toHaveCount(0);
  await visit.assertSound(page);

  await scene.server.query(`update terminals set name = 'Quay renamed' where id = $1`, [id]);
  await page.unroute('**/v1/**');
  await see(page.getByText(BAR)).toHaveCount(0);
  await see(live(page)).toBeVisible();
  await see(page.getByRole('heading', { name: 'Quay renamed', level: 1 })).toBeVisible();
  await see(action).not.toHaveAccessibleDescription(/^No contact/);
  await see.poll(toFill, { timeout: PATIENCE_MS }).toBe(filled);
});

flow('without contact the entries of a menu and the switches of a list are off, and say why', async (visit) => {
  const { user, token } = await scene.server.register('Annie Easley');
  const [id = ''] = await scene.createTerminals(token, ['Quay']);
  const page = await visit.open(`/terminals/${id}`, { as: user, mayBe: LOST });
  await see(live(page)).toBeVisible();
  const rules = await visit.open('/alerts?tab=rules', { beside: page, mayBe: LOST });
  const rule = rules.getByRole('switch', { name: 'Terminal down' });
  await see(rule).toBeChecked();
  await see(live(rules)).toBeVisible();

  await cut(page);
  await cut(rules);
  await page.getByRole('button', { name: 'Take screenshot' }).click();
  await see(page.getByText(BAR)).toBeVisible();
  await page.getByRole('button', { name: 'More', exact: true }).click();
  const restart = page.getByRole('menuitem', { name: 'Restart' });
  await see(restart).toHaveAttribute('aria-disabled', 'true');
  await see(restart).toContainText('No contact with the server.');
  // What asks nothing of the server can be chosen.
  await see(page.getByRole('menuitem', { name: 'Copy as curl' })).not.toHaveAttribute('aria-disabled');
  await visit.assertSound(page);

  await rule.click();
  await see(rule).toHaveAttribute('aria-disabled', 'true');
  await see(rule).toHaveAccessibleDescription(/^No contact with the server/);
  await see(rule).toBeChecked();
  await visit.assertSound(rules);
  await rules.unroute('**/v1/**');
  await see(rule).not.toHaveAttribute('aria-disabled');
});

flow('a page that was opened without contact shows what it was opened for when contact is back', async (visit) => {
  const { user, token } = await scene.server.register('Grace Hopper');
  await scene.createTerminals(token, ['Lighthouse']);
  const page = await visit.open('/projects', { as: user, mayBe: LOST });
  await see(live(page)).toBeVisible();
  await cut(page);
  await page.getByRole('link', { name: 'Terminals' }).first().click();
  await see(page.getByText(BAR)).toBeVisible();
  await visit.assertSound(page);
  await page.unroute('**/v1/**');
  await see(page.getByRole('row').filter({ hasText: 'Lighthouse' })).toBeVisible();
  await see(page.getByText(BAR)).toHaveCount(0);
});
