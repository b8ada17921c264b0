// @module-tag browser
/** A run on many terminals is one entry of the list of tasks, and what it did not confirm is said first. */
import { TaskStatus, TaskType } from '@berth/contract';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

const ON = { trading_allowed: true, trading_reason: null } as const;
const OFF = { trading_allowed: false, trading_reason: 'terminal_switch' } as const;
const DOUBT = {
  ok: false,
  code: 'E_UNSUPPORTED',
  message: 'The terminal did not confirm that algo trading is off.',
  data: { verified: false },
} as const;

flow(
  'the terminals that did not confirm that trading is off come first, and trading is turned off on them again',
  async (visit) => {
    const { user, token } = await scene.server.register('Ada Lovelace');
    await scene.createTerminals(token, ['Alpha', 'Beta', 'Gamma']);
    const page = await visit.open('/terminals', { as: user });
    for (const name of ['Alpha', 'Beta', 'Gamma']) await page.getByLabel(`Select ${name}`).check();
    const dock = page.getByRole('region', { name: '3 selected' });
    await see(dock.getByRole('button').first()).toHaveText('Turn algo trading off');
    await dock.getByRole('button', { name: 'Turn algo trading off' }).click();
    const [first, ...others] = await scene.claim('OPTIONS_AUTO_TRADE', 3);
    await scene.fail([first!], DOUBT);
    await scene.complete(others, { enabled: false, verified: true, ...OFF });
    const dialog = page.getByRole('dialog', { name: 'Algo trading off' });
    await see(dialog).toContainText('Confirmed off on 2, not on 1: it may still trade.');
    const items = dialog.getByRole('listitem');
    await see(items.nth(0)).toContainText('Not confirmed');
    await see(items.nth(0)).toContainText(DOUBT.message);
    await see(items.nth(0).getByRole('link', { name: 'Open terminal' })).toBeVisible();
    for (const place of [1, 2]) await see(items.nth(place)).toContainText('Off');
    await visit.assertSound(page);
    await dialog.getByRole('button', { name: 'Run again on the failed one' }).click();
    const again = await scene.claim('OPTIONS_AUTO_TRADE', 1);
    expect(again[0]!.terminal.id).toBe(first!.terminal.id);
    await scene.complete(again, { enabled: false, verified: true, ...OFF });
    await see(dialog).toContainText('Confirmed off.');
    await dialog.getByRole('button', { name: 'Close' }).click();
    await see(page.locator('[data-card="trading"]').filter({ hasText: 'off' })).toHaveCount(3);
  },
);

flow('a selection is turned on only by a question that counts its accounts, and not by one click', async (visit) => {
  const { user, token } = await scene.server.register('Grace Hopper');
  const ids = await scene.createTerminals(token, ['One', 'Twin', 'Other']);
  await scene.server.query(`update terminals set login = '77' where id = any($1)`, [ids.slice(0, 2)]);
  const page = await visit.open('/terminals', { as: user });
  for (const name of ['One', 'Twin', 'Other']) await page.getByLabel(`Select ${name}`).check();
  const dock = page.getByRole('region', { name: '3 selected' });
  await see(dock.getByRole('button', { name: /trading on/ })).toHaveCount(0);
  const posts: string[] = [];
  page.on('request', (request) => {
    if (request.method() === 'POST') posts.push(request.url());
  });
  const ask = async () => {
    await dock.getByRole('button', { name: 'Run task…' }).click();
    await page.getByRole('menuitem', { name: 'Turn algo trading on…' }).click();
    return page.getByRole('dialog', { name: 'Turn algo trading on?' });
  };
  const question = await ask();
  await see(question).toContainText('Experts may trade on 2 accounts.');
  await visit.assertSound(page);
  await question.getByRole('button', { name: 'Cancel' }).click();
  await see(question).toHaveCount(0);
  expect(posts).toEqual([]);
  await (await ask()).getByRole('button', { name: 'Turn algo trading on' }).click();
  const tasks = await scene.claim('OPTIONS_AUTO_TRADE', 3);
  expect(tasks.map(({ payload }) => payload)).toEqual(Array(3).fill({ allow_algo_trading: 1 }));
  await scene.complete(tasks, { enabled: true, verified: true, ...ON });
  await see(page.getByRole('dialog', { name: 'Algo trading on' })).toContainText('Done on all 3 terminals.');
});

flow('a run is one row of the tasks, with its duration, and its row leads to its results', async (visit) => {
  const { user, token, berth } = await scene.server.register('Emmy Noether');
  const [id = ''] = await scene.createTerminals(token, ['Alpha', 'Beta']);
  await berth.terminals.bulkTasks('OPTIONS_AUTO_TRADE', { all: true, payload: { allow_algo_trading: 0 } });
  const [first, second] = await scene.claim('OPTIONS_AUTO_TRADE', 2);
  await scene.complete([first!], { enabled: false, verified: true, ...OFF });
  await scene.fail([second!], DOUBT);
  await berth.tasks.create(id, 'CLOSE_ALL', {});
  await scene.complete(await scene.claim('CLOSE_ALL'), { closed: 0, left_open: [], remaining: 0 });
  const page = await visit.open('/tasks', { as: user });
  const row = page.getByRole('row').filter({ hasText: 'Algo trading off' });
  await see(row).toHaveCount(1);
  await see(row).toContainText('2 terminals');
  await see(row).toContainText('Not on 1 of 2');
  await see(page.getByRole('columnheader', { name: 'Duration' })).toBeVisible();
  await see(page.getByRole('list', { name: 'Colours of the timelines' })).toContainText('Waiting');
  await visit.assertSound(page);

  // A task that acts on money asks, and says what it does.
  const closing = page.getByRole('row').filter({ hasText: 'Close all positions' });
  await closing.getByRole('button', { name: 'Run again' }).click();
  const question = page.getByRole('dialog', { name: 'Run this task again?' });
  await see(question).toContainText('All positions are closed at market prices');
  await question.getByRole('button', { name: 'Run again' }).click();
  await see(page.getByText('Close all positions, ⁨Alpha⁩ queued.')).toBeVisible();
  await scene.complete(await scene.claim('CLOSE_ALL'), { closed: 0, left_open: [], remaining: 0 });

  await row.getByRole('button', { name: 'Show results' }).click();
  const results = page.getByRole('dialog', { name: 'Algo trading off' });
  await see(results).toContainText('Confirmed off on 1, not on 1: it may still trade.');
  await results.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Failed', exact: true }).click();
  await see(
    page
      .getByRole('row')
      .filter({ hasText: 'Beta' })
      .or(page.getByRole('row').filter({ hasText: 'Alpha' })),
  ).toHaveCount(1);
});

flow('a list that is too long to be counted has a total with a plus', async (visit) => {
  const { user, token } = await scene.server.register('Mary Somerville');
  const [id = ''] = await scene.createTerminals(token, ['Alpha']);
  await scene.server.query(
    `insert into tasks (id, user_id, terminal_id, type, status, finished_at, result)
     select gen_random_uuid(), user_id, id, ${TaskType.EA_LOGS}, ${TaskStatus.COMPLETED}, now(), '{"runner_result":[],"status":0}'
     from terminals cross join generate_series(1, 10010) where id = $1`,
    [id],
  );
  const page = await visit.open('/tasks', { as: user });
  await see(page.getByText('10,000+ tasks')).toBeVisible();
  await see(page.getByText('1–25 of 10,000+')).toBeVisible();
});
