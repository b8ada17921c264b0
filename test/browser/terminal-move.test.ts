// @module-tag browser
/** A terminal moves between two real hosts, by its owner and by an operator; a move that cannot be is refused with a reason. */
import { waitFor } from '@berth/testing';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { useRemoteHosts } from '../e2e/remote-hosts.ts';
import { see, useBrowser } from './support/flow.ts';
import { createTerminal } from './support/terminals.ts';

const { stack, createHost } = useRemoteHosts({ BERTH_TIME_PERCENT: '30' });
const flow = useBrowser(() => stack.url);

const openForm = async (page: Page) => {
  await page.getByRole('button', { name: 'Move…' }).click();
  const form = page.getByRole('dialog', { name: 'Move terminal' });
  return { form, send: () => form.getByRole('button', { name: 'Move terminal' }).click() };
};

flow(
  'a terminal is moved to another region, shows how far that is, and cannot be moved while its host is out of reach',
  async (visit) => {
    const [quay, pier] = [await createHost('quay', 'Quay'), await createHost('pier', 'Pier')];
    const source = await quay.join(2);
    const target = await pier.join(1);
    await stack.waitForHosts(2);
    const { user, token, berth } = await stack.register('Ada Lovelace');
    const { id, owner } = await createTerminal(stack, token, { name: 'Gold', region: quay.region });
    await owner.waitForStatus(id, 'ACTIVE');
    const page = await visit.open(`/terminals/${id}?tab=settings`, { as: user, mayBe: [/status of (409|422)/] });

    await stack.query(`update regions set accepts_terminals = false where label = 'London'`);
    const { form, send } = await openForm(page);
    const choices = form.getByLabel('To').getByRole('option');
    await see(choices.filter({ hasText: 'London: closed to new terminals' })).toBeDisabled();
    await send();
    await see(form.getByText('Choose a region.')).toBeVisible();
    await see(form.getByLabel('Host')).toHaveCount(0);
    await form.getByLabel('To').selectOption('Quay, another host');
    await visit.assertSound(page);
    await send();
    await see(form.getByText(/^No other host of the region has a free slot/)).toBeVisible();
    await see(form.getByLabel('To')).toBeFocused();
    await form.getByLabel('To').selectOption('Pier');
    // Nothing is installed there for as long as a person looks.
    target.kill('SIGSTOP');
    await send();
    await see(form).toHaveCount(0);
    await see(page.getByText(/^Moving to another host: the terminal is being installed/)).toBeVisible();
    await see(page.getByRole('button', { name: 'Move…' })).toHaveAccessibleDescription(
      'The terminal is being moved already.',
    );
    await visit.assertSound(page);
    await page.getByRole('navigation').getByRole('link', { name: 'Terminals', exact: true }).click();
    const row = page.getByRole('row').filter({ hasText: 'Gold' });
    await see(row).toContainText('The terminal is moving to another host.');
    target.kill('SIGCONT');
    await see(row).toContainText('Active');
    await see(row).not.toContainText('moving');
    const find = () => berth.terminals.get(id, { include: 'details' });
    const arrive = () => waitFor(async () => (await find()).move === null, { what: 'the end of the move' });
    await arrive();
    expect(await find()).toMatchObject({ host_name: 'pier', status_name: 'ACTIVE' });

    await waitFor(async () => (await stack.query('select from left_terminals')).length === 0, { what: 'the removal' });
    await stack.query('update users set is_operator = true where id = $1', [user.id]);
    const operators = await visit.open(`/terminals/${id}?tab=settings`, { as: user, mayBe: [/status of (409|422)/] });
    const back = await openForm(operators);
    await back.form.getByLabel('To').selectOption('Quay');
    await back.form.getByLabel('Host').selectOption('quay');
    await visit.assertSound(operators);
    await back.send();
    await see(back.form).toHaveCount(0);
    await arrive();
    expect(await find()).toMatchObject({ host_name: 'quay', status_name: 'ACTIVE' });

    source.kill('SIGKILL');
    await owner.waitForStatus(id, 'UNREACHABLE');
    const refused = await openForm(operators);
    await refused.form.getByLabel('To').selectOption('Pier');
    await refused.send();
    await see(refused.form.getByRole('alert')).toContainText('Its host is out of reach, and it may still run there.');
    await visit.assertSound(operators);
  },
);
