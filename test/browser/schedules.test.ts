// @module-tag browser
/** Schedules: written without knowing cron, refused beside their fields, switched off, deleted, and what they did. */
import { Berth } from '@berth/client';
import { TaskType, TerminalStatus } from '@berth/contract';
import type { Locator, Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { placeTerminals } from './support/many-terminals.ts';
import { assertNoSideScroll } from './support/page.ts';

const { scene, flow } = useHostScene();

const rowOf = (page: Page, text: string): Locator => page.getByRole('row').filter({ hasText: text });

const createOwner = async () => {
  const { user, token } = await scene.server.register('Ada Lovelace');
  const terminals = ['Gold', 'Silver'].map((name) => ({ name, status: TerminalStatus.ACTIVE }));
  const ids = await placeTerminals(scene, user.id, terminals);
  return { user, ids, berth: new Berth({ baseUrl: scene.server.url, token }) };
};

const openMore = async (page: Page, name: string, action: string): Promise<void> => {
  await page.getByRole('button', { name: `More actions for ${name}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
};

flow(
  'a schedule is created without cron, shows its next times in its zone and here, is edited, switched off and deleted',
  async (visit) => {
    const { user, berth } = await createOwner();
    const page = await visit.open('/tasks', { as: user });
    await page.getByRole('link', { name: 'Schedules' }).click();
    await see(page.getByText('No schedules yet')).toBeVisible();
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const form = page.getByRole('dialog', { name: 'Create schedule' });
    await see(form.getByText(/^2 terminals at the moment\./)).toBeVisible();
    await see(form.getByLabel('Time zone')).toHaveValue('UTC');
    await form.getByLabel('Repeat').selectOption('On chosen days');
    await form.getByRole('button', { name: 'Create schedule' }).click();
    await see(form.getByText('Choose at least one day.')).toBeVisible();
    await form.getByLabel('Friday').check();
    await form.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await see(form.getByText('At 21:00, on Friday')).toBeVisible();
    await see(form.getByRole('listitem').first()).toHaveText(/^Fri .*, 21:00 Fri 12:00 your time$/);
    await visit.assertSound(page);
    await form.getByRole('button', { name: 'Create schedule' }).click();

    const row = rowOf(page, 'Algo trading off');
    await see(row).toContainText('At 21:00, on Friday');
    await see(row).toContainText('Not run yet');
    await see(row.getByRole('listitem')).toHaveCount(3);
    await visit.assertSound(page);
    await page.setViewportSize({ width: 375, height: 800 });
    await assertNoSideScroll(page);

    await openMore(page, 'Algo trading off', 'Edit schedule');
    const edit = page.getByRole('dialog', { name: 'Edit schedule' });
    await see(edit.getByLabel('Friday')).toBeChecked();
    await edit.getByLabel('Name').fill('Weekend');
    await edit.getByLabel('Terminals', { exact: true }).selectOption('Only some terminals');
    await edit.getByRole('button', { name: 'Save' }).click();
    await see(edit.getByText('Choose at least one terminal.')).toBeVisible();
    await edit.getByLabel('Gold').check();
    await edit.getByRole('button', { name: 'Save' }).click();
    await see(rowOf(page, 'Weekend')).toContainText('1 terminal');
    await rowOf(page, 'Weekend').getByRole('switch').click();
    await see(rowOf(page, 'Weekend')).toContainText('None while it is off');
    const [kept] = await berth.schedules.list().toArray();
    expect(kept).toMatchObject({ name: 'Weekend', cron: '0 21 * * 5', time_zone: 'Asia/Tokyo', enabled: false });

    await openMore(page, 'Weekend', 'Delete schedule');
    const confirm = page.getByRole('dialog', { name: 'Delete this schedule?' });
    await confirm.getByRole('button', { name: 'Delete schedule' }).click();
    await see(page.getByText('No schedules yet')).toBeVisible();
    expect(await berth.schedules.list().toArray()).toEqual([]);
  },
);

flow(
  'a cron expression is refused beside its field where it is wrong or runs each minute, and shown in words where it is right',
  async (visit) => {
    const { user, berth } = await createOwner();
    const page = await visit.open('/tasks/schedules', { as: user, mayBe: [/status of 422/] });
    await page.getByRole('button', { name: 'Create schedule' }).click();
    const form = page.getByRole('dialog', { name: 'Create schedule' });
    await form.getByLabel('Repeat').selectOption('Advanced: cron expression');
    const cron = form.getByLabel('Cron expression');
    await see(cron).toHaveValue('0 21 * * *');
    const send = form.getByRole('button', { name: 'Create schedule' });
    for (const [typed, refusal] of [
      ['61 * * * *', 'Cron expression is invalid.'],
      ['* * * * * *', 'Cron expression must have five fields.'],
      ['* * * * *', 'Cron expression must name times that are 5 minutes apart or more.'],
    ] as const) {
      await cron.fill(typed);
      await send.click();
      await see(form.getByText(refusal)).toBeVisible();
      await see(cron).toBeFocused();
    }
    await visit.assertSound(page);
    await cron.fill('0 3 1 * *');
    await see(form.getByText('At 03:00, on day 1 of the month')).toBeVisible();
    await send.click();
    await see(rowOf(page, 'At 03:00, on day 1 of the month')).toBeVisible();
    expect(await berth.schedules.list().toArray()).toMatchObject([{ cron: '0 3 1 * *', filter: {} }]);
  },
);

flow(
  'the list says what a schedule did last: it leads to the results of its run, or says why there was none',
  async (visit) => {
    const { user, ids, berth } = await createOwner();
    const times = { cron: '0 21 * * 5', time_zone: 'Mars/Olympus' };
    const good = { ...times, time_zone: 'UTC', all: true as const, type: TaskType.SCREENSHOT };
    const { id } = await berth.schedules.create({ ...good, name: '<b>Photo</b>' });
    const none = await berth.schedules.create({ ...good, name: 'Nobody', all: undefined, filter: { tag: 'no such' } });
    // A zone that this browser does not know.
    await berth.schedules.create({ ...good, name: 'Resting', enabled: false });
    await scene.server.query(`update schedules set time_zone = $2 where name = 'Resting' and user_id = $1`, [
      user.id,
      times.time_zone,
    ]);
    await scene.server.query('update schedules set next_at = now() where id = any($1::uuid[])', [[id, none.id]]);
    const page = await visit.open('/tasks/schedules', { as: user });
    await see(rowOf(page, 'Nobody')).toContainText('Failed');
    await see(rowOf(page, 'Resting')).toContainText('Mars/Olympus');
    await see(rowOf(page, '<b>Photo</b>')).toContainText('Started');
    await visit.assertSound(page);
    await page.getByRole('button', { name: 'Results of <b>Photo</b>' }).click();
    const results = page.getByRole('dialog', { name: 'Take screenshots' });
    await see(results.getByRole('listitem')).toHaveCount(ids.length);
  },
);

flow('a schedule begins with the terminals that somebody has selected in their list', async (visit) => {
  const { user, ids, berth } = await createOwner();
  const page = await visit.open('/terminals', { as: user });
  await rowOf(page, 'Gold').getByRole('checkbox').check();
  await page.getByRole('button', { name: 'Run task…' }).click();
  await page.getByRole('menuitem', { name: 'Schedule…' }).click();
  const form = page.getByRole('dialog', { name: 'Create schedule' });
  await see(form.getByText('1 terminal chosen')).toBeVisible();
  await form.getByLabel('Task').selectOption('Restart terminals');
  await form.getByLabel('If it was missed').selectOption('Run it once, late');
  await form.getByRole('button', { name: 'Create schedule' }).click();
  await see(page.getByText(/^Schedule .*Restart terminals.* created\.$/)).toBeVisible();
  expect(await berth.schedules.list().toArray()).toMatchObject([
    { type: TaskType.TERMINAL_RESTART, terminal_ids: [ids[0]], cron: '0 21 * * *', missed: 'run_once' },
  ]);
});
