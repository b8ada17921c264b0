// @module-tag browser
/** A terminal is made anew from what was set up on another one. */
import { TaskType } from '@berth/client';
import { useTestStack, waitFor } from '@berth/testing';
import { expect } from 'vitest';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

const stack = useTestStack();
const flow = useBrowser(() => stack.url);

flow('a terminal made from a snapshot runs the same expert, and trades only when that is asked for', async (visit) => {
  const { user, token, berth } = await stack.register('Ada Lovelace');
  const { id, owner } = await createTerminal(stack, token, { name: 'First' });
  await owner.waitForStatus(id, 'ACTIVE');
  const { id: fileId } = await owner.upload('Trend.ex5', Buffer.from('{"sandbox_expert": 1, "actions": []}'));
  const expert = { name: 'Trend', symbol: 'EURUSD', period: 'H1', inputs: { Lots: '0.10' }, allow_algo_trading: 1 };
  await owner.run(id, 'EA_INSTALL', { ...expert, file_id: fileId });
  await owner.run(id, 'OPTIONS_AUTO_TRADE', { allow_algo_trading: 1 });

  const page = await visit.open(`/terminals/${id}?tab=settings`, { as: user });
  const card = page.locator('.card').filter({ has: page.getByRole('heading', { name: 'Snapshots' }) });
  const rows = card.getByRole('listitem');
  await see(rows).toHaveCount(2);
  await card.getByRole('button', { name: 'Take snapshot' }).dblclick();
  await see(rows.first()).toContainText('1 chart, 1 expert taken by you');
  expect(await berth.terminals.snapshots(id)).toHaveLength(3);
  await card
    .getByRole('button', { name: /^Delete snapshot/ })
    .last()
    .click();
  await see(rows).toHaveCount(2);
  await visit.assertSound(page);

  await rows.first().getByRole('link', { name: 'Create terminal' }).click();
  const form = page.getByRole('dialog', { name: 'Create terminal' });
  await see(form.getByRole('checkbox')).not.toBeChecked();
  await visit.assertSound(page);
  await form.getByLabel('Trading server').fill('Harbour-Demo');
  await form.getByLabel('Login').fill('7301');
  await form.getByLabel('Password').fill('trade-me');
  await form.getByRole('checkbox').check();
  await form.getByRole('button', { name: 'Create terminal' }).click();
  await see(page.getByRole('dialog', { name: 'Terminal created' })).toBeVisible();

  const [clone] = (await berth.terminals.page({ search: '7301' })).data;
  await waitFor(async () => (await berth.terminals.get(clone!.id, { include: 'details' })).trading_allowed === true, {
    what: 'algo trading of the new terminal',
    timeoutMs: 120_000,
  });
  const chart = await waitFor(async () => (await berth.terminals.charts(clone!.id)).data[0], { what: 'its chart' });
  expect(chart).toMatchObject({ symbol: 'EURUSD', period: 'H1', expert: { name: 'Trend', inputs: { Lots: '0.10' } } });
  const tasks = (await berth.tasks.page(clone!.id, { per_page: 10 })).data;
  expect(tasks.map(({ type }) => type)).toEqual([
    TaskType.OPTIONS_AUTO_TRADE,
    TaskType.EA_INSTALL,
    TaskType.TERMINAL_INSTALL,
  ]);
});
