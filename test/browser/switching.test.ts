// @module-tag browser
/** What a task confirmed is shown everywhere at once, and what it did not confirm is shown nowhere. */
import { toSample } from '@berth/testing';
import { TerminalStatus } from '@berth/contract';
import type { Page } from '@playwright/test';
import { expect } from 'vitest';
import { see } from './support/flow.ts';
import { useHostScene } from './support/host-scene.ts';

const { scene, flow } = useHostScene();

const ON = { trading_allowed: true, trading_reason: null } as const;
const OFF = { trading_allowed: false, trading_reason: 'terminal_switch' } as const;

/** What the page says of the switch at this very moment, by its button. */
const seeSwitch = async (page: Page): Promise<'on' | 'off'> =>
  (await page.locator('.page-tools').getByRole('button', { name: 'Turn algo trading off' }).count()) === 1
    ? 'on'
    : 'off';

flow(
  'a switch of trading is the same in the message, on the button, in the settings and in the list',
  async (visit) => {
    const { user, token } = await scene.server.register('Ada Lovelace');
    const [id = ''] = await scene.createTerminals(token, ['Switched']);
    const seen = { kind: 'terminal', terminal_id: id, status: TerminalStatus.ACTIVE } as const;
    await scene.host.report({ ...seen, ...ON });
    await scene.host.sendSamples(toSample(id));
    const page = await visit.open(`/terminals/${id}?tab=settings`, { as: user });
    const list = await visit.open('/terminals', { beside: page });
    const inList = list.getByRole('row').filter({ hasText: 'Switched' }).locator('[data-card="trading"]');
    await see(inList).toHaveText('on');
    const button = page.locator('.page-tools').getByRole('button', { name: 'Turn algo trading off' });
    const settings = page.getByText(/While algo trading is off/);

    // What the terminal did not confirm has failed, with what was seen.
    await button.click();
    const message = 'Algo trading is still on. Take a screenshot to see its state, then repeat the task.';
    const doubt = {
      ok: false,
      code: 'E_UNSUPPORTED',
      message,
      data: { enabled: true, verified: false, ...ON },
    } as const;
    await scene.fail(await scene.claim('OPTIONS_AUTO_TRADE'), doubt);
    await see(page.getByText(/^Algo trading failed\. Algo trading is still on\./)).toBeVisible();
    expect(await seeSwitch(page)).toBe('on');
    await see(settings).toContainText('Algo trading is on.');
    await see(inList).toHaveText('on');
    await page.getByRole('link', { name: 'Tasks' }).last().click();
    const rows = page.getByRole('listitem').or(page.getByRole('row')).filter({ hasText: 'Algo trading' });
    await see(rows.first()).toContainText('Failed');
    await page.getByRole('link', { name: 'Settings' }).click();

    await button.click();
    await scene.complete(await scene.claim('OPTIONS_AUTO_TRADE'), { enabled: false, verified: true, ...OFF });
    await see(page.getByText('Algo trading: done')).toBeVisible();
    // From the first moment of the message on: nothing is waited for here.
    expect(await seeSwitch(page)).toBe('off');
    expect(await settings.textContent()).toContain('Algo trading is off.');
    await see(inList).toHaveText('off');
    await visit.assertSound(page);
  },
);
