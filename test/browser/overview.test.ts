// @module-tag browser
/** The overview: what needs an operator, where it leads, and what an operator sets for regions. */
import { stepAdvice } from '@berth/client';
import { HostStatus, TaskStatus } from '@berth/contract';
import { TestHost } from '@berth/testing';
import { afterAll, beforeAll, expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { HostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

type Operator = Awaited<ReturnType<HostScene['server']['registerOperator']>>;

let scene: HostScene;
let operator: Operator;
let trader: Awaited<ReturnType<HostScene['server']['register']>>;
beforeAll(async () => {
  scene = await HostScene.start({ capacity: 4 });
  operator = await scene.server.registerOperator();
  trader = await scene.server.register('Ilse Marrow');
  await scene.createTerminals(trader.token, ['Gold', 'Silver']);
});
afterAll(() => scene?.close());

const flow = useBrowser(() => scene.server.url);

flow('an operator adds a region, makes it the default, and closes another one to new terminals', async (visit) => {
  const page = await visit.open('/overview', { as: operator.user, mayBe: [/status of 422/] });
  const regions = page.getByRole('table', { name: 'Regions' });
  await page.getByRole('button', { name: 'Add region' }).click();
  const form = page.getByRole('dialog', { name: 'Add region' });
  await form.getByLabel('Name').fill('london');
  await form.getByLabel('Flag').fill('jp');
  await form.getByRole('button', { name: 'Add region' }).click();
  await see(form.getByText('has already been taken')).toBeVisible();
  await form.getByLabel('Name').fill('Tokyo');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Add region' }).click();
  const tokyo = regions.getByRole('row', { name: /Tokyo/ });
  await see(tokyo).toContainText('0 of 0');
  await page.getByRole('button', { name: 'More actions for Tokyo' }).click();
  await page.getByRole('menuitem', { name: 'Make default' }).click();
  await see(tokyo).toContainText('Default');
  await page.getByRole('button', { name: 'More actions for Singapore' }).click();
  await page.getByRole('menuitem', { name: 'Close to new terminals' }).click();
  await see(regions.getByRole('row', { name: /Singapore/ })).toContainText('Closed');
  await visit.assertSound(page);

  const mine = await visit.open('/terminals', { as: trader.user });
  await mine.getByRole('button', { name: 'Create terminal' }).first().click();
  const choices = mine.getByRole('dialog').getByLabel('Region').getByRole('option');
  await see(choices.filter({ hasText: 'Singapore: closed to new terminals' })).toBeDisabled();
  await see(choices.filter({ hasText: 'Tokyo: no hosts yet' })).toBeEnabled();
});

flow(
  'what needs an operator comes first and leads to the host, and the page is calm again when it is over',
  async (visit) => {
    const { server, host } = scene;
    await server.query(
      `insert into scheduled_backup (plan, interval_seconds, due_at, last_succeeded_at, size_bytes, error)
     values ('daily', 86400, now() + interval '9 hours', now() - interval '36 hours', 7000000, 'there is no room')`,
    );
    await server.query(`insert into mail_state (last_failed_at, error) values (now(), 'the SMTP server is away')`);
    await server.query(
      `insert into host_facts (host_id, facts) values ($1, '{"disk_available_mb": 100}')
     on conflict (host_id) do update set facts = excluded.facts`,
      [host.id],
    );
    await server.query(
      `insert into tasks (id, user_id, host_id, terminal_id, type, status, finished_at, result)
     select gen_random_uuid(), user_id, host_id, id, 6, ${TaskStatus.FAILED}, now(), $1 from terminals limit 1`,
      [{ runner_result: [{ code: 'E_TIMEOUT' }] }],
    );
    const empty = await TestHost.enrol(server, { region: 0, name: 'quay-9', capacity: 1 });
    await server.query('update hosts set status = $2 where id = $1', [empty.id, HostStatus.LOST]);
    const page = await visit.open('/overview', { as: operator.user, viewport: { width: 375, height: 800 } });
    await assertNoSideScroll(page);
    const goTo = async (name: string) => {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('button', { name: 'More' }).click();
      await page.getByRole('menuitem', { name }).click();
      await see(page.getByRole('heading', { name, level: 1 })).toBeVisible();
    };
    for (const name of ['All terminals', 'Audit log', 'Account', 'Overview']) await goTo(name);
    await assertNoSideScroll(page);
    const needs = page.getByRole('region', { name: 'Needs attention' });
    await see(needs).toContainText('The last backup failed. there is no room');
    await see(needs).toContainText('Mail fails');
    await see(needs).toContainText('It has no terminals.');
    await see(needs).toContainText(/Host .?quay-1.? is nearly out of disk space/);
    const tasks = page.getByRole('table', { name: 'Failed and stuck tasks' });
    const failed = tasks.getByRole('row', { name: /Screenshot/ });
    await see(failed).toContainText('E_TIMEOUT');
    await see(failed).toContainText(stepAdvice.E_TIMEOUT);
    await failed.getByRole('link', { name: 'Why?' }).click();
    await see(page.getByRole('dialog')).toContainText('Account');
    await page.goBack();
    await visit.assertSound(page);
    const full = needs.getByRole('listitem').filter({ hasText: 'quay-1' });
    await full.getByRole('link', { name: 'Open hosts' }).click();
    await see(page).toHaveURL(new RegExp(`/hosts\\?host=${host.id}`));
    await server.query('delete from scheduled_backup');
    await server.query('delete from mail_state');
    await server.query('delete from host_facts');
    await server.query('delete from hosts where id = $1', [empty.id]);
    await page.goto(`${server.url}/overview`);
    await see(needs).toHaveCount(0);
    await see(page.getByText('All is well')).toBeVisible();
    await see(page.getByText('Hosts are online, and nothing is stuck.')).toBeVisible();
    await see(page.getByText('Not scheduled')).toBeVisible();
  },
);

flow(
  'an operator has a backup made now, and cancels a task that its host does not take; a viewer cannot',
  async (visit) => {
    const { server, host } = scene;
    await server.query(
      `insert into scheduled_backup (plan, interval_seconds, due_at) values ('daily', 86400, now() + interval '9 hours')`,
    );
    const [task] = await server.query(
      `insert into tasks (id, user_id, host_id, terminal_id, type, status, state_since)
       select gen_random_uuid(), user_id, $1, id, 6, ${TaskStatus.QUEUED}, now() - interval '20 minutes'
       from terminals where host_id = $1 limit 1 returning id`,
      [host.id],
    );
    const viewer = await server.registerOperator();
    await server.query(`update users set operator_role = 'viewer' where id = $1`, [viewer.user.id]);
    const watching = await visit.open('/overview', { as: viewer.user });
    const disabled = { disabled: true };
    await see(watching.getByRole('button', { name: 'Back up now', ...disabled })).toBeVisible();
    await see(watching.getByRole('button', { name: 'Cancel Screenshot', ...disabled })).toBeVisible();

    const page = await visit.open('/overview', { as: operator.user });
    await page.getByRole('button', { name: 'Back up now' }).click();
    await see(page.getByText('The backup begins in a moment.')).toBeVisible();
    const due = await server.query('select due_at <= now() as is_due from scheduled_backup');
    expect(due).toEqual([{ is_due: true }]);
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Cancel Screenshot' }).click();
    await see(page.getByText('The task was canceled.')).toBeVisible();
    await see(page.getByRole('button', { name: 'Cancel Screenshot' })).toHaveCount(0);
    const [ended] = await server.query('select status from tasks where id = $1', [task?.id]);
    expect(ended).toEqual({ status: TaskStatus.CANCELED });
  },
);
