// @module-tag browser
/** A stop of all algo trading is a mode: every page says so until it is ended, and what was on can be restored. */
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

const OFF = { enabled: false, verified: true, trading_allowed: false, trading_reason: 'terminal_switch' };

const band = (page: Page) => page.getByRole('region', { name: 'Algo trading is stopped' });

const stopAll = async (page: Page, count: number): Promise<void> => {
  await page.getByRole('button', { name: 'Stop all algo trading…' }).click();
  const asked = page.getByRole('dialog', { name: 'Stop algo trading on all terminals' });
  await asked.getByRole('button', { name: `Stop on ${count} terminals` }).click();
  await see(page.getByRole('dialog', { name: 'Algo trading off' })).toBeVisible();
  await page.keyboard.press('Escape');
};

/** Terminals, of which all but the last one have algo trading on. */
const createTerminals = async (token: string, names: string[]): Promise<string[]> => {
  const ids = await scene.createTerminals(token, names);
  await scene.server.query(`update terminals set trading_allowed = true, trading_reason = null where id = any($1)`, [
    ids.slice(0, -1),
  ]);
  await scene.server.query(
    `update terminals set trading_allowed = false, trading_reason = 'terminal_switch' where id = $1`,
    [ids.at(-1)],
  );
  return ids;
};

flow('what a stop reaches is said beside its button, and what it does not is named', async (visit) => {
  const owner = await scene.server.register('Radia Perlman');
  const ids = await createTerminals(owner.token, ['North', 'South', 'West']);
  const page = await visit.open('/terminals', { as: owner.user });
  const reach = (text: string) => page.getByRole('button', { name: text, exact: true });
  await see(reach('Reach not checked yet')).toBeVisible();
  const problem = "The terminal's window does not answer: it hangs.";
  const checks = [
    { terminal_id: ids[0], ms: 40, problem: null },
    { terminal_id: ids[1], ms: 1_700, problem: null },
    { terminal_id: ids[2], ms: 40, problem },
  ];
  await scene.host.call('checks', { checks });
  await page.reload();
  await reach('Reaches 2 of 3 in about 2 s').click();
  const dialog = page.getByRole('dialog', { name: 'What a stop would reach' });
  await see(dialog).toContainText('1 terminal would not be stopped now');
  await see(dialog.getByRole('listitem')).toContainText(`West${problem}`);
  await visit.assertSound(page);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Stop all algo trading…' }).click();
  const asked = page.getByRole('dialog', { name: 'Stop algo trading on all terminals' });
  await see(asked).toContainText('Reaches 2 of 3 in about 2 s.');
  await see(asked).toContainText('Not reached now: West.');
  await page.keyboard.press('Escape');
  await scene.server.query(`update switch_checks set checked_at = checked_at - interval '1 minute'`);
  await scene.host.call('checks', { checks: ids.map((id) => ({ terminal_id: id, ms: 40, problem: null })) });
  await page.reload();
  await reach('Reaches 3 of 3 in under a second').click();
  await see(dialog).toContainText('Every terminal would be stopped.');
});

flow('a stop is said on every page and in every tab, with those that did not confirm it', async (visit) => {
  const owner = await scene.server.register('Ada Lovelace');
  await createTerminals(owner.token, ['Alpha', 'Beta', 'Gamma']);
  const page = await visit.open('/tasks', { as: owner.user });
  const other = await visit.open('/account', { beside: page });
  await see(other.getByText('Live', { exact: true }).first()).toBeVisible();
  await stopAll(page, 3);
  await see(band(page)).toContainText(/Stopped \d\d:\d\d:\d\d .*: 0 confirmed, 3 not\./);
  await see(band(other)).toContainText('0 confirmed, 3 not');
  const [first, second, third] = await scene.claim('OPTIONS_AUTO_TRADE', 3);
  await scene.complete([first!, second!], OFF);
  await scene.fail([third!], { ok: false, code: 'E_UNSUPPORTED', message: 'Algo trading is still on.' });
  for (const tab of [page, other]) await see(band(tab)).toContainText('2 confirmed, 1 not. It may still trade');
  await page.reload();
  await see(band(page)).toContainText('2 confirmed, 1 not');
  await visit.assertSound(page);
  await band(page).getByRole('button', { name: 'Show 1' }).click();
  const exceptions = page.getByRole('dialog', { name: 'Not confirmed to be off' });
  await see(exceptions.getByRole('listitem')).toContainText('Not confirmed, asked');
  await visit.assertSound(page);
  await exceptions.getByRole('link').click();
  await see(page.getByRole('heading', { level: 1 })).toBeVisible();
  await see(band(page)).toBeVisible();
  // Nothing is asked for after this flow.
  const { token } = owner;
  const ended = await scene.server.request('POST', '/v1/my/trading/stop/end', { token, body: { restore: false } });
  expect(ended.body).toMatchObject({ ok: true });
  await see(band(page)).toHaveCount(0);
});

flow('what was on is turned on again, and only that', async (visit) => {
  const owner = await scene.server.register('Grace Hopper');
  const ids = await createTerminals(owner.token, ['One', 'Two', 'Was off']);
  const page = await visit.open('/terminals', { as: owner.user });
  await stopAll(page, 3);
  await scene.complete(await scene.claim('OPTIONS_AUTO_TRADE', 3), OFF);
  await see(band(page)).toContainText(/: 3 confirmed\. End/);
  await page.getByLabel('Select One').check();
  await page.getByRole('button', { name: 'Run task…' }).click();
  await page.getByRole('menuitem', { name: 'Turn algo trading on…' }).click();
  const question = page.getByRole('dialog', { name: 'Turn algo trading on?' });
  await see(question).toContainText(/stopped since .+ This terminal may trade again; the stop stays for the others\./);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await page.getByLabel('Select One').uncheck();
  await band(page).getByRole('button', { name: 'End the stop…' }).click();
  const end = page.getByRole('dialog', { name: 'End the stop' });
  await see(end).toContainText('When it was stopped, algo trading was on for 2 terminals.');
  await see(end).toContainText('It was off for 1 terminal, and stays off there.');
  await visit.assertSound(page);
  await end.getByRole('button', { name: 'Turn on again on 2 terminals' }).click();
  const restored = await scene.claim('OPTIONS_AUTO_TRADE', 2);
  expect(restored.map(({ terminal }) => terminal.id).sort()).toEqual(ids.slice(0, 2).sort());
  expect(restored.map(({ payload }) => payload)).toEqual(Array(2).fill({ allow_algo_trading: 1 }));
  await scene.complete(restored, { ...OFF, enabled: true, trading_allowed: true });
  await see(band(page)).toHaveCount(0);
});

flow('it is left off where its user wants that, and is first among the commands', async (visit) => {
  const owner = await scene.server.register('Mary Somerville');
  await createTerminals(owner.token, ['Kept', 'Off']);
  const page = await visit.open('/account', { as: owner.user, viewport: { width: 375, height: 800 } });
  await page.getByRole('button', { name: 'Commands' }).click();
  await see(page.getByRole('dialog').getByRole('option').first()).toContainText('Stop all algo trading…');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop on 2 terminals' }).click();
  await see(page.getByRole('dialog', { name: 'Algo trading off' })).toBeVisible();
  await page.keyboard.press('Escape');
  await see(band(page)).toContainText('0 confirmed, 2 not');
  await visit.assertSound(page);
  await band(page).getByRole('button', { name: 'End the stop…' }).click();
  const end = page.getByRole('dialog', { name: 'End the stop' });
  await see(end).toContainText('2 terminals have not confirmed yet, and will not be asked again.');
  await end.getByRole('button', { name: 'Leave it off' }).click();
  await see(page.getByText('The stop is over. Algo trading stays off.')).toBeVisible();
  await see(band(page)).toHaveCount(0);
});
