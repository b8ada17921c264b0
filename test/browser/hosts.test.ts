// @module-tag browser
/** Hosts: how full they are, whose terminals they have, and who waits; one joins, and one is retired. */
import type { HostFacts } from '@berth/contract';
import { TestHost, waitFor } from '@berth/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';
import { createTerminal } from './support/terminals.ts';

const CAPACITY = 2;

/** 2.5 of 23.5 GB of memory are used, and 100 of 400 GB of the disk. */
const facts: HostFacts = {
  ...{ memory_total_mb: 24_064, memory_available_mb: 21_504, memory_capacity: 50 },
  ...{ disk_total_mb: 409_600, disk_available_mb: 307_200 },
  offers: [{ platform: 'sandbox', launcher: 'process', isolation: 'none', bases: [] }],
};

type Operator = Awaited<ReturnType<HostScene['server']['registerOperator']>>;

let scene: HostScene;
let operator: Operator;
let guest: Awaited<ReturnType<HostScene['server']['register']>>;
beforeAll(async () => {
  scene = await HostScene.start({ capacity: CAPACITY });
  await scene.host.startSession(facts);
  operator = await scene.server.registerOperator();
  guest = await scene.server.register('Grace Hopper');
  await scene.createTerminals(operator.token, ['Own money']);
  await scene.createTerminals(guest.token, ['Nobody else’s business']);
  for (const login of ['61', '62', '63'])
    await createTerminal(scene.server, guest.token, { login, region: 0, name: `Later ${login}` });
  await createTerminal(scene.server, guest.token, { login: '64', name: 'Anywhere' });
});
afterAll(() => scene?.close());

const flow = useBrowser(() => scene.server.url);

flow('an operator sees how many wait in each region, who holds the slots, and what a host has left', async (visit) => {
  const page = await visit.open('/hosts', { as: operator.user, viewport: { width: 1366, height: 850 } });
  const regions = page.getByRole('table', { name: 'Regions' });
  const london = regions.getByRole('row', { name: /London/ });
  await see(london).toContainText('2 of 2 used');
  await see(london).toContainText('3 waiting, 0 free');
  await see(regions.getByRole('row', { name: /Singapore/ })).toContainText('0 free');
  await see(page.getByText('1 terminal waits for the first free slot in any region.')).toBeVisible();
  const users = page.getByRole('table', { name: 'Users' }).getByRole('row');
  await see(users.nth(1)).toContainText(/Grace Hopper.*1 slot.*4 waiting/);
  await see(users.nth(1)).toContainText(guest.user.email);
  await see(users.nth(2)).toContainText(/Operator.*1 slot/);
  await see(
    page.getByText(/^To limit the terminals of a user, choose .Change limits…. on the page Users/),
  ).toBeVisible();

  const card = page.getByRole('listitem').filter({ hasText: 'quay-1' });
  await see(card).toContainText('2.5 of 23.5 GB used');
  const toShare = async (name: string): Promise<number> =>
    Number(await card.getByRole('img', { name, exact: true }).locator('rect').last().getAttribute('width'));
  expect(await toShare('Memory: 2.5 of 23.5 GB used')).toBeCloseTo((2.5 / 23.5) * 100);
  expect(await toShare('Disk: 100 of 400 GB used')).toBeCloseTo(25);
  await visit.assertSound(page);
  await assertNoSideScroll(page);
  await page.setViewportSize({ width: 375, height: 720 });
  await see(london).toContainText('3 waiting, 0 free');
  await visit.assertSound(page);
  await assertNoSideScroll(page);
});

flow('the terminals of a host are beside the list with their owners, and others’ names stay theirs', async (visit) => {
  const page = await visit.open('/hosts', { as: operator.user, viewport: { width: 375, height: 720 } });
  await page.getByRole('button', { name: '2 terminals on quay-1' }).click();
  const sheet = page.getByRole('dialog', { name: /^Terminals on .*quay-1/ });
  const terminals = sheet.getByRole('listitem');
  await see(terminals).toHaveCount(2);
  await see(terminals.filter({ hasText: 'Operator' }).getByRole('link', { name: 'Own money' })).toBeVisible();
  await see(terminals.filter({ hasText: 'Grace Hopper' })).toContainText(guest.user.email);
  await see(sheet).not.toContainText('business');
  await visit.assertSound(page);
  await assertNoSideScroll(page);
  await page.keyboard.press('Escape');
  await see(sheet).toHaveCount(0);
  await see(page).toHaveURL(/\/hosts$/);
});

flow(
  'a host that is offline has one mark, on its card and at its terminals, and no figures of before',
  async (visit) => {
    const region = 2;
    const silent = await TestHost.enrol(scene.server, { region, name: 'quay-9', capacity: 5 });
    await silent.startSession(facts);
    const { id } = await createTerminal(scene.server, operator.token, { login: '90', region, name: 'Far away' });
    const isPlaced = async () =>
      (await scene.server.query('select from terminals where host_id = $1', [silent.id])).length === 1;
    await waitFor(isPlaced, { what: 'the terminal on its host' });
    await scene.server.query('update hosts set status = 2 where id = $1', [silent.id]);
    await scene.server.query('update terminals set status = 10 where id = $1', [id]);
    const page = await visit.open('/hosts', { as: operator.user, colorScheme: 'light' });
    await see(page.locator('.page-head .status[data-tone="cut"]')).toHaveText('1 offline');
    const card = page.getByRole('listitem').filter({ hasText: 'quay-9' });
    await see(card).toContainText('Its terminal may still be running and trading.');
    await see(card).not.toContainText('Memory');
    const mark = card.locator('.status');
    await see(mark).toHaveText('Offline');
    const tone = await mark.getAttribute('data-tone');
    await card.getByRole('button', { name: '1 terminal on quay-9' }).click();
    const ofTerminal = page.getByRole('dialog').locator('.status');
    await see(ofTerminal).toHaveText('Host offline');
    expect(await ofTerminal.getAttribute('data-tone')).toBe(tone);
    await visit.assertSound(page);
  },
);

flow('an operator lets a host join by a command, and retires one; nobody else sees hosts', async (visit) => {
  const page = await visit.open('/hosts', { as: operator.user });
  await page.getByRole('button', { name: 'Add host' }).click();
  const form = page.getByRole('dialog', { name: 'Add host' });
  const send = form.getByRole('button', { name: 'Generate command' });
  await form.getByLabel('Slots').fill('0');
  await send.click();
  await see(form.getByText('Enter a name.')).toBeVisible();
  await see(form.getByText('Enter a whole number from 1 to 10,000.')).toBeVisible();
  await see(form.getByLabel('Name')).toBeFocused();
  await form.getByLabel('Name').fill('quay-2');
  await form.getByLabel('Slots').fill('20');
  await form.getByLabel('Platform').selectOption('Sandbox terminals');
  await visit.assertSound(page);
  await send.click();
  const command = await page.getByLabel('Command for the host').inputValue();
  expect(command).toContain(`BERTH_SERVER_URL='${visit.url}' `);
  expect(command).toContain(`BERTH_SANDBOX_NETWORK='${scene.server.dataDir}/sandbox/network' `);
  await see(page.getByText(/This address works only on the server itself/)).toBeVisible();
  const token = /BERTH_JOIN_TOKEN='([^']+)'/.exec(command)?.[1];
  await visit.assertSound(page);
  await page.getByRole('button', { name: 'Done' }).click();
  const answer = await scene.server.request('POST', '/v1/agent/enrol', {
    body: { join_token: token, platforms: ['sandbox'] },
  });
  expect(answer.status).toBe(200);
  const second = page.getByRole('listitem').filter({ hasText: 'quay-2' });
  await see(second).toContainText('Never connected');
  await visit.assertSound(page);

  await second.getByRole('button', { name: 'More actions for quay-2' }).click();
  await page.getByRole('menuitem', { name: 'Retire…' }).click();
  const confirm = page.getByRole('dialog');
  await see(confirm).toContainText('This cannot be undone.');
  await confirm.getByLabel(/to confirm$/).fill('quay-2');
  await visit.assertSound(page);
  await confirm.getByRole('button', { name: 'Retire host' }).click();
  // What is retired is remembered, out of the way.
  await page.getByText('1 retired host').click();
  await see(page.getByRole('list', { name: 'Retired hosts' })).toContainText('quay-2');
  await see(second).toContainText('Retired');
  await see(second.getByRole('button')).toHaveCount(0);

  const other = await visit.open('/hosts', { as: guest.user });
  await see(other.getByText('Hosts are for operators')).toBeVisible();
  await see(other.getByRole('link', { name: 'Hosts' })).toHaveCount(0);
});
