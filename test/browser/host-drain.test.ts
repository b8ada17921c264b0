// @module-tag browser
/** A host is renamed, cordoned, drained, watched; a join token is revoked, and a command has the address that was chosen. */
import { createHash } from 'node:crypto';
import { TaskType, type HostFacts } from '@berth/contract';
import { waitFor } from '@berth/testing';
import { beforeAll, expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const facts: HostFacts = {
  ...{ memory_total_mb: 24_064, memory_available_mb: 21_504, memory_capacity: 50, load_percent: 30 },
  ...{ disk_total_mb: 409_600, disk_available_mb: 307_200 },
  offers: [{ platform: 'sandbox', launcher: 'process', isolation: 'none', bases: [] }],
};

const { scene, flow } = useHostScene({ capacity: 4 });
let operator: Awaited<ReturnType<typeof scene.server.registerOperator>>;
beforeAll(async () => {
  await scene.host.startSession(facts);
  operator = await scene.server.registerOperator();
  await scene.createTerminals(operator.token, ['Gold', 'Silver']);
});

flow('an operator renames a host, limits its slots, cordons it, and sees what it has in use', async (visit) => {
  await waitFor(async () => (await scene.server.query('select 1 from host_minutes')).length > 0, { what: 'a sample' });
  await scene.server.query(`update host_minutes set hour_at = hour_at - interval '1 hour'`);
  const page = await visit.open('/hosts', { as: operator.user });
  const choose = async (host: string, item: string) => {
    await page.getByRole('button', { name: `More actions for ${host}` }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('quay-1', 'Edit…');
  const form = page.getByRole('dialog', { name: /^Edit .*quay-1/ });
  await see(form).toContainText('Its memory has room for 50');
  await form.getByLabel('Name').fill('pier-1');
  await form.getByLabel('Slots').fill('');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Save' }).click();
  const card = page.getByRole('listitem').filter({ hasText: 'pier-1' });
  await see(card).toContainText('2 of 50 used');

  await choose('pier-1', 'Cordon');
  await see(card).toContainText('Cordoned');
  const regions = page.getByRole('table', { name: 'Regions' });
  await see(regions.getByRole('row', { name: /London/ })).toContainText('0 free');
  await choose('pier-1', 'Uncordon');
  await see(card).toContainText('Online');

  await choose('pier-1', 'Usage');
  const sheet = page.getByRole('dialog', { name: /^Usage of .*pier-1/ });
  await see(sheet.getByRole('region', { name: 'Processor load' })).toContainText('Last value: 30 %');
  await see(sheet.getByRole('region', { name: 'Memory used' })).toContainText('Last value: 2.5 GB');
  await visit.assertSound(page);
  await sheet.getByRole('button', { name: '30 days' }).click();
  await see(sheet.getByRole('region', { name: 'Disk used' })).toBeVisible();
});

flow('an operator drains a host by saying what becomes of its terminals, and sees what is left', async (visit) => {
  const page = await visit.open('/hosts', { as: operator.user, viewport: { width: 375, height: 800 } });
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'More actions for pier-1' }).click();
    await page.getByRole('menuitem', { name: item }).click();
  };
  await choose('Drain…');
  const form = page.getByRole('dialog', { name: /^Drain .*pier-1/ });
  await form.getByRole('button', { name: 'Drain host' }).click();
  await see(form.getByText('Choose what happens to its terminals.')).toBeVisible();
  await form.getByRole('radio', { name: /^Stop/ }).check();
  await form.getByLabel('Deadline in minutes').fill('30');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Drain host' }).click();
  const drain = page.getByRole('region', { name: 'Drain', exact: true });
  await see(drain).toContainText('0 of 2 stopped');
  await see(drain).toContainText('2 stopping');
  await scene.complete(await scene.claim('TERMINAL_STOP', 2), { running: false });
  await scene.server.query('update terminals set status = 5 where deleted_at is null');
  await see(drain).toContainText('2 of 2 stopped');
  await see(drain).toContainText('No terminal is running. You can switch this host off.');
  await visit.assertSound(page);
  await assertNoSideScroll(page);

  await choose('Change drain…');
  const changed = page.getByRole('dialog', { name: /^Change the drain of .*pier-1/ });
  await see(changed.getByRole('radio', { name: /^Stop/ })).toBeChecked();
  await see(changed.getByLabel('Deadline in minutes')).toHaveValue(/^(29|30)$/);
  await visit.assertSound(page);
  await changed.getByRole('button', { name: 'Cancel' }).click();
  await see(changed).toHaveCount(0);

  await choose('End drain…');
  const end = page.getByRole('dialog', { name: /^End the drain of .*pier-1/ });
  await see(end.getByLabel('Take new terminals again')).toBeChecked();
  await end.getByRole('button', { name: 'End drain' }).click();
  await see(drain).toHaveCount(0);
  const tasks = await scene.server.query('select 1 from tasks where type = $1', [TaskType.TERMINAL_STOP]);
  expect(tasks).toHaveLength(2);
});

flow('a join command has the address that the operator chose, and its token is revoked in the list', async (visit) => {
  const page = await visit.open('/hosts', { as: operator.user });
  await page.getByRole('button', { name: 'Add host' }).click();
  const form = page.getByRole('dialog', { name: 'Add host' });
  const address = form.getByLabel('Server address');
  await see(address).toHaveValue(visit.url);
  await see(form).toContainText('works only on the server itself');
  await address.fill('berth.example.com');
  await form.getByLabel('Name').fill('quay-3');
  await form.getByRole('button', { name: 'Generate command' }).click();
  await see(form.getByText('Enter an address that begins with https:// or http://.')).toBeVisible();
  await address.fill('http://berth.example.com');
  await see(form).toContainText('Without TLS');
  await form.getByRole('button', { name: 'Generate command' }).click();
  await see(form.getByText('The installer takes https:// addresses only.')).toBeVisible();
  await address.fill('https://berth.example.com/');
  await see(form).not.toContainText('Without TLS');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Generate command' }).click();
  const command = await page.getByLabel('Command for the host').inputValue();
  const script = await scene.server.request('GET', '/install/host.sh');
  expect(command).toContain(`curl -fsSO 'https://berth.example.com/install/host.sh'`);
  expect(command).toContain(
    `echo '${createHash('sha256').update(script.bytes).digest('hex')}  host.sh' | sha256sum -c`,
  );
  expect(command).toContain(`sh host.sh --server 'https://berth.example.com' --platforms mt5:wine`);
  await see(page.getByText(/^Run it as root/)).toBeVisible();
  const token = /BERTH_JOIN_TOKEN='([^']+)'/.exec(command)?.[1];
  await page.getByRole('button', { name: 'Done' }).click();
  const row = page.getByRole('row', { name: /quay-3/ });
  await see(row).toContainText('Not used yet');
  await visit.assertSound(page);
  await row.getByRole('button', { name: /Revoke/ }).click();
  await see(row).toHaveCount(0);
  const body = { join_token: token, platforms: ['sandbox'] };
  expect((await scene.server.request('POST', '/v1/agent/enrol', { body })).status).toBe(401);
});
