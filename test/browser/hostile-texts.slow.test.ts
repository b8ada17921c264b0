// @module-tag browser
/** What hosts, experts and files say is text, whatever it would like to be: on the page of a terminal and on all others. */
import { toChart, toSample } from '@berth/testing';
import { TerminalStatus } from '@berth/contract';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';
import { assertNoSideScroll } from './support/page.ts';

const { scene, flow } = useHostScene();

/** Would change the title of the page if it were markup anywhere. */
const MARKUP = `<img src=x onerror="document.title='executed'"><script>document.title='executed'</script>`;
/** What is left of it when the service has taken the sharp brackets out of the words of a host. */
const LEFT = `onerror="document.title='executed'"`;
/** Turns what follows around, unless it is kept to itself. */
const TURNED = '\u202Eevil \u2067שלום';
const ENDLESS = 'W'.repeat(10_000);
/** As long as a step of a task, or a reason, may be. */
const LONG = `${MARKUP} ${TURNED} ${'W'.repeat(1_500)}`;

const assertHarmless = async (page: Page): Promise<void> => {
  expect(await page.title()).not.toBe('executed');
  expect(await page.locator('img[src="x"]').count()).toBe(0);
  for (const width of [1280, 375]) {
    await page.setViewportSize({ width, height: 800 });
    await assertNoSideScroll(page);
    const title = page.locator('h1');
    const box = await title.boundingBox();
    expect(box && box.x + box.width, `the title at ${width}`).toBeLessThanOrEqual(width);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
};

flow('log lines, inputs, names of experts, reasons and steps of a host are text on its terminal', async (visit) => {
  const { user, token, berth } = await scene.server.register('Lise Meitner');
  const [id = ''] = await scene.createTerminals(token, [`${MARKUP} ${TURNED}`]);
  const inputs = { Lots: MARKUP, Turned: TURNED, Endless: 'W'.repeat(1_000) };
  const expert = { ...toChart().expert!, name: `${MARKUP.slice(0, 40)} ${TURNED}`, inputs };
  await scene.host.sendCharts(id, toChart({ expert, symbol: `${TURNED}<b>` }));
  await scene.host.sendSamples(toSample(id));
  await berth.tasks.create(id, 'SCREENSHOT', {});
  const step = { step: '<b>do</b>', ok: false, code: 'E_UNSUPPORTED', message: LONG } as const;
  await scene.fail(await scene.claim('SCREENSHOT'), step);
  const status = TerminalStatus.LOGIN_FAILED;
  await scene.host.report({ kind: 'terminal', terminal_id: id, status, reason: LONG.slice(0, 500) });

  const page = await visit.open(`/terminals/${id}`, { as: user });
  await see(page.getByRole('listitem').filter({ hasText: 'Screenshot' }).first()).toContainText(LEFT);
  await assertHarmless(page);
  await page
    .getByRole('listitem')
    .getByRole('button', { name: /^Screenshot/ })
    .click();
  await see(page.getByRole('dialog').getByText(LEFT).first()).toBeVisible();
  await assertHarmless(page);
  await visit.assertSound(page);
  await page.keyboard.press('Escape');

  await page.getByRole('link', { name: 'Charts & experts' }).click();
  await see(page.getByText('onerror=').first()).toBeVisible();
  await assertHarmless(page);
  await scene.host.report({ kind: 'terminal', terminal_id: id, status: TerminalStatus.ACTIVE });
  await page.getByRole('button', { name: 'Inputs…' }).click();
  await see(page.getByLabel('Value Lots')).toHaveValue(/document\.title='executed'/);
  await see(page.getByLabel('Value Turned')).toHaveValue(/evil.*שלום/);
  await assertHarmless(page);
  await visit.assertSound(page);
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();

  await page.getByRole('link', { name: 'Logs' }).click();
  await page.getByRole('button', { name: 'Load log' }).last().click();
  const lines = [
    `2026.03.02 10:00:00.000\t${MARKUP}\t${MARKUP}`,
    `2026.03.02 10:00:01.000\t${TURNED}\t${TURNED}`,
    `2026.03.02 10:00:02.000\tTrend\t${ENDLESS}`,
    ENDLESS,
    `2026.03.02 10:00:03.000\tTrend\tthe last line`,
  ];
  await scene.complete(await scene.claim('EA_LOGS'), { lines, truncated: false });
  await see(page.getByRole('log')).toContainText('the last line');
  await see(
    page
      .getByRole('log')
      .getByText(/8,?000 more characters/)
      .first(),
  ).toBeVisible();
  await assertHarmless(page);
  await page.getByRole('log').evaluate((log) => log.scrollTo(0, 0));
  await see(page.getByRole('log').getByText(LEFT).first()).toBeVisible();
  await visit.assertSound(page);
});

flow('names of files, projects, tokens and tasks are text on the other pages', async (visit) => {
  const { user, token, berth } = await scene.server.register('Emmy Noether');
  const description = `${MARKUP} ${TURNED} ${'W'.repeat(800)}`;
  await berth.projects.create({ name: `${MARKUP} ${TURNED}`, description });
  await berth.projects.create({ name: 'W'.repeat(255) });
  await berth.account.tokens.create({ name: `${MARKUP} ${TURNED}`, abilities: ['read'] });
  const [id = ''] = await scene.createTerminals(token, ['W'.repeat(255)]);
  await berth.tasks.create(id, 'SCREENSHOT', {});
  const step = { ok: false, code: 'E_UNSUPPORTED', message: LONG } as const;
  await scene.fail(await scene.claim('SCREENSHOT'), step);

  const page = await visit.open('/account?tab=files', { as: user });
  await see(page.getByText('No files yet')).toBeVisible();
  for (const name of [`${MARKUP.slice(0, 60)}.ex5`, `${TURNED}.ex5`, `${'W'.repeat(200)}.ex5`]) {
    await page.getByLabel('Upload file').setInputFiles({ name, mimeType: '', buffer: Buffer.from('a program') });
    await see(page.getByRole('row').filter({ hasText: name })).toBeVisible();
  }
  await assertHarmless(page);
  await visit.assertSound(page);
  await page.getByRole('button', { name: /^Delete <img/ }).click();
  await see(page.getByRole('dialog')).toContainText('<img src=x onerror=');
  await assertHarmless(page);
  await page.keyboard.press('Escape');
  const places: [string, string | RegExp][] = [
    ['/account?tab=tokens', MARKUP],
    ['/projects', MARKUP],
    ['/tasks', LEFT],
    ['/terminals', /W{200}/],
  ];
  for (const [place, text] of places) {
    await page.goto(visit.url + place);
    await see(page.locator('table').getByText(text).first()).toBeVisible();
    await assertHarmless(page);
    await visit.assertSound(page);
  }
  await page.goto(`${visit.url}/tasks`);
  await page
    .getByRole('row')
    .getByRole('link', { name: /^Screenshot/ })
    .first()
    .click();
  await see(page.getByRole('dialog')).toContainText(LEFT);
  await assertHarmless(page);
});
