// @module-tag browser
/** The day of an operator in a browser and nothing else: from the printed link to a user who leaves. Other flows look closer. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Berth } from '@berth/client';
import { endProcesses, startTestAgent, startTestTradingServer, TEST_PASSWORD, useTestStack } from '@berth/testing';
import type { Page } from '@playwright/test';
import { afterAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

const stack = useTestStack({ hasLocalHosts: false, environment: { BERTH_DEFAULT_PLATFORM: 'sandbox' } });
const flow = useBrowser(() => stack.url);

afterAll(async () => {
  await endProcesses();
  await stack.killTerminals();
});

const GUEST = { name: 'Mary Ward', email: 'mary@ward.example' };

const goTo = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('navigation').getByRole('link', { name, exact: true }).click();
  await see(page.getByRole('heading', { name, level: 1 })).toBeVisible();
};
const choose = async (page: Page, name: string, item: string): Promise<void> => {
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: item }).click();
};

/** As whoever has copied the command to the machine. */
const runCommand = (command: string): void => {
  const { BERTH_SERVER_URL: serverUrl = '', ...settings } = Object.fromEntries(
    [...command.matchAll(/(BERTH_\w+)='([^']*)'/g)].map(([, name, value]) => [name, value] as const),
  );
  startTestAgent({
    ...{ serverUrl, directory: join(stack.dataDir, 'agents', 'tokyo-1') },
    ...{ joinToken: settings.BERTH_JOIN_TOKEN ?? '', networkFile: settings.BERTH_SANDBOX_NETWORK ?? '' },
  });
};

flow(
  'an operator signs in, adds a region and a host, invites, limits, helps, drains, suspends and closes',
  async (visit) => {
    const broker = join(stack.dataDir, 'sandbox');
    mkdirSync(broker);
    startTestTradingServer(broker, join(broker, 'network'));
    const [, password = ''] = await stack.server.waitForLine(/Password +(\S{12,})/);
    const [, path = ''] = await stack.server.waitForLine(/Sign in +http:\/\/[^/]+(\/#sign-in=\S+)/);
    const page = await visit.open(path, { mayBe: [/status of 403/] });
    await see(page.getByText('No hosts yet')).toBeVisible();

    await goTo(page, 'Overview');
    await page.getByRole('button', { name: 'Add region' }).click();
    const region = page.getByRole('dialog', { name: 'Add region' });
    await region.getByLabel('Name').fill('Tokyo');
    await region.getByLabel('Flag').fill('jp');
    await region.getByRole('button', { name: 'Add region' }).click();
    const tokyo = page.getByRole('table', { name: 'Regions' }).getByRole('row', { name: /Tokyo/ });
    await see(tokyo).toContainText('0 of 0');

    await goTo(page, 'Hosts');
    await page.getByRole('button', { name: 'Add host' }).first().click();
    const host = page.getByRole('dialog', { name: 'Add host' });
    await host.getByLabel('Name').fill('tokyo-1');
    await host.getByLabel('Region').selectOption('Tokyo');
    await host.getByLabel('Slots').fill('1');
    await host.getByLabel('Platform').selectOption('Sandbox terminals');
    await host.getByRole('button', { name: 'Generate command' }).click();
    // The printed link proves no password.
    const asked = page.getByRole('dialog', { name: 'Enter your password' });
    await asked.getByLabel('Password').fill(password);
    await asked.getByRole('button', { name: 'Continue' }).click();
    runCommand(await page.getByLabel('Command for the host').inputValue());
    await page.getByRole('button', { name: 'Done' }).click();
    const card = page.getByRole('listitem').filter({ hasText: 'tokyo-1' });
    await see(card).toContainText('Online');

    await goTo(page, 'Users');
    await page.getByRole('button', { name: 'Invite…' }).click();
    await page.getByRole('button', { name: 'Make invitation' }).click();
    const link = new URL(await page.getByLabel('Link to create an account').inputValue());
    await page.getByRole('button', { name: 'Done' }).click();
    const guest = await visit.open(`/${link.hash}`);
    await guest.getByLabel('Name').fill(GUEST.name);
    await guest.getByLabel('E-mail').fill(GUEST.email);
    await guest.getByLabel('Password', { exact: true }).fill(TEST_PASSWORD);
    await guest.getByRole('button', { name: 'Create account' }).click();
    await see(guest.getByRole('heading', { name: 'Terminals', level: 1 })).toBeVisible();
    await guest.close();
    await page.reload();
    await choose(page, GUEST.name, 'Change limits…');
    const limits = page.getByRole('dialog', { name: /^Limits of/ });
    await limits.getByLabel('Terminals').fill('2');
    await limits.getByRole('button', { name: 'Save' }).click();
    const row = page.getByRole('row', { name: new RegExp(GUEST.name) });
    await see(row).toContainText('0 of 2');

    const { token = '' } = await new Berth({ baseUrl: stack.url }).auth.login({ ...GUEST, password: TEST_PASSWORD });
    const regions = await new Berth({ baseUrl: stack.url, token }).regions.list().toArray();
    const place = { region: regions.find(({ label }) => label === 'Tokyo')!.id };
    const { owner } = await createTerminal(stack, token, { name: 'First', ...place });
    await createTerminal(stack, token, { name: 'Second', login: '5002', ...place });
    await expect(createTerminal(stack, token, { name: 'Third', login: '5003', ...place })).rejects.toThrow();
    await goTo(page, 'All terminals');
    await see(page.getByRole('row', { name: /First/ })).toContainText('Active');
    await page.getByRole('button', { name: 'Why is Second not running?' }).click();
    const why = page.getByRole('dialog', { name: /Why is .*Second/ });
    await see(why).toContainText('No slot for sandbox terminals is free in Tokyo. It is next.');
    await see(why).toContainText('raise the capacity of one');
    await page.keyboard.press('Escape');
    await goTo(page, 'Hosts');
    await choose(page, 'tokyo-1', 'Edit…');
    const edit = page.getByRole('dialog', { name: /^Edit/ });
    await edit.getByLabel('Slots').fill('2');
    await edit.getByRole('button', { name: 'Save' }).click();
    await see(card).toContainText('2 of 2 used');
    await goTo(page, 'All terminals');
    await see(page.getByRole('row', { name: /Second/ })).toContainText('Active');

    await goTo(page, 'Hosts');
    await choose(page, 'tokyo-1', 'Cordon');
    await see(card).toContainText('Cordoned');
    await choose(page, 'tokyo-1', 'Drain…');
    const drain = page.getByRole('dialog', { name: /^Drain .*tokyo-1/ });
    await drain.getByRole('radio', { name: /^Stop/ }).check();
    await drain.getByRole('button', { name: 'Drain host' }).click();
    await see(page.getByRole('region', { name: 'Drain', exact: true })).toContainText('You can switch this host off.');
    await choose(page, 'tokyo-1', 'End drain…');
    await page
      .getByRole('dialog', { name: /^End the drain/ })
      .getByRole('button', { name: 'End drain' })
      .click();
    await see(card).toContainText('Online');

    await goTo(page, 'Audit log');
    for (const action of ['region.create', 'join_token.create', 'invitation.create', 'user.update', 'host.drain'])
      await see(page.getByRole('row', { name: new RegExp(action.replace('.', '\\.')) }).first()).toBeVisible();

    await goTo(page, 'Users');
    await choose(page, GUEST.name, 'Suspend…');
    const suspend = page.getByRole('dialog', { name: /^Suspend/ });
    await suspend.getByLabel('Reason').fill('Unpaid');
    await suspend.getByRole('radio', { name: /^Stop/ }).check();
    await suspend.getByRole('button', { name: 'Suspend user' }).click();
    await see(row).toContainText('Suspended');
    await expect(owner.berth.account.profile()).rejects.toThrow('This account is suspended.');
    await choose(page, GUEST.name, 'End suspension');
    await see(row).toContainText('Active');
    await owner.berth.account.profile();
    await choose(page, GUEST.name, 'Close account…');
    const close = page.getByRole('dialog', { name: /^Close the account/ });
    await close.getByLabel('Reason').fill('Left in June');
    await close.getByRole('button', { name: 'Close account' }).click();
    await see(row).toContainText('Removed on');
  },
);
