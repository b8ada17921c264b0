// @module-tag browser
/** Experts on the charts of a terminal, from the file on somebody's machine to its removal. */
import { useTestStack } from '@berth/testing';
import { see, useBrowser } from './support/flow.ts';
import { dropFile } from './support/page.ts';
import { createTerminal } from './support/terminals.ts';

const stack = useTestStack();

const flow = useBrowser(() => stack.url);

flow('an expert is installed by dropping its file, gets other inputs, a new program, and goes', async (visit) => {
  const { user, token } = await stack.register('Ada Lovelace');
  const { id, owner } = await createTerminal(stack, token, { name: 'Morning desk' });
  await owner.waitForStatus(id, 'ACTIVE');
  const page = await visit.open(`/terminals/${id}?tab=charts`, { as: user });
  await see(page.getByText('No charts with an expert yet')).toBeVisible();

  await dropFile(page, { name: 'Trend Follower.ex5', content: 'the first program' });
  const form = page.getByRole('dialog', { name: 'Install expert' });
  await see(form.getByLabel('Name')).toHaveValue('Trend Follower');
  await form.getByLabel('Symbol').fill('GBPUSD');
  await form.getByLabel('Timeframe').selectOption('H1');
  await form.getByRole('button', { name: 'Add input' }).click();
  await form.getByLabel('Input', { exact: true }).fill('a=b');
  await see(form.getByRole('alert')).toContainText('Use up to 64 characters');
  await form.getByLabel('Input', { exact: true }).fill('Lots');
  await form.getByLabel('Value Lots').fill('0.10');
  await form.getByRole('button', { name: 'Import preset…' }).click();
  await form.getByLabel('Or paste its lines').fill('not a preset');
  await form.getByRole('button', { name: 'Use these inputs' }).click();
  await see(form.getByRole('alert')).toContainText('none of Name=value');
  await form.getByLabel('Or paste its lines').fill('; by hand\nLots=0.20||0.1||0.01||1||N\nMagic=7');
  await form.getByRole('button', { name: 'Use these inputs' }).click();
  await see(form.getByLabel('Value Lots')).toHaveValue('0.20');
  await see(form.getByLabel('Value Magic')).toHaveValue('7');
  const preset = { name: 'Trend.set', mimeType: 'text/plain', buffer: Buffer.from('Lots=0.10') };
  await form.getByRole('button', { name: 'Import preset…' }).click();
  await form.getByLabel('Preset (.set)').setInputFiles(preset);
  await see(form.getByLabel('Value Lots')).toHaveValue('0.10');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Install expert' }).click();
  await see(form).toHaveCount(0);
  const card = page.getByRole('main').locator('.chart-card').filter({ hasText: 'Trend Follower' });
  await see(card).toContainText('GBPUSD');
  await see(card).toContainText('Running');
  await see(card).toContainText('2 inputs');
  await visit.assertSound(page);

  await card.getByRole('button', { name: 'Inputs…' }).click();
  const inputs = page.getByRole('dialog', { name: 'Trend Follower' });
  const lots = inputs.getByLabel('Value Lots');
  await see(lots).toHaveValue('0.10');
  await see(inputs.getByRole('button', { name: 'Save inputs' })).toHaveAttribute('aria-disabled', 'true');
  await lots.fill('0.25');
  await visit.assertSound(page);
  await inputs.getByRole('button', { name: 'Save inputs' }).click();
  await see(inputs).toHaveCount(0);
  // The dialog keeps what it was opened with, so it is opened until its host has reported the change.
  await see
    .poll(async () => {
      await card.getByRole('button', { name: 'Inputs…' }).click();
      const value = await lots.inputValue();
      await page.keyboard.press('Escape');
      await see(inputs).toHaveCount(0);
      return value;
    })
    .toBe('0.25');

  const program = card.locator('code');
  const before = await program.textContent();
  await card.getByRole('button', { name: 'Update file…' }).click();
  const update = page.getByRole('dialog', { name: 'Update expert' });
  const content = {
    name: 'Trend Follower 2.ex5',
    mimeType: 'application/octet-stream',
    buffer: Buffer.from('another'),
  };
  await update.getByLabel('Expert (.ex5 or .ex4)').setInputFiles(content);
  await see(update).toContainText('Trend Follower 2.ex5');
  await visit.assertSound(page);
  await update.getByRole('button', { name: 'Update expert' }).click();
  await see(program).not.toHaveText(before ?? '');

  await card.getByRole('button', { name: 'Remove…' }).click();
  const remove = page.getByRole('dialog', { name: 'Remove expert' });
  await see(remove).toContainText('Open positions stay at the broker.');
  await visit.assertSound(page);
  await remove.getByRole('button', { name: 'Remove expert' }).click();
  await see(page.getByText('No charts with an expert yet')).toBeVisible();
  await see(card).toHaveCount(0);

  await page.getByRole('button', { name: 'Install expert' }).first().click();
  const uploaded = form.getByLabel('Or one that was uploaded before');
  await see(uploaded.getByRole('option')).toHaveCount(3);
  await uploaded.selectOption({ index: 1 });
  await see(form.getByLabel('Name')).toHaveValue('Trend Follower 2');
  await visit.assertSound(page);
  await form.getByRole('button', { name: 'Install expert' }).click();
  await see(card).toContainText('EURUSD');
});
