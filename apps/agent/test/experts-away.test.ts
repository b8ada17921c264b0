/** What the guard does to a terminal of the sandbox: experts away, algo trading on and off, everything closed. */
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, systemTiming } from '@berth/kit';
import { TaskType } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { expect, test } from 'vitest';
import { Accounts } from '../src/account/accounts.ts';
import { createRiskActions } from '../src/host/risk-actions.ts';
import { useSandboxHost } from './support/sandbox-host.ts';

const host = useSandboxHost();
const log = createLogger({ name: 'test', level: 'silent' });

const open = { after_seconds: 0, open: { symbol: 'EURUSD', side: 'buy', volume: '0.01' } };
const TRADER = { sandbox_expert: 1, repeat: false, actions: [open, open] };

test('experts go and stay as templates, and what they opened is closed although algo trading was off', async () => {
  const terminal = await host.createTerminal();
  expect((await terminal.install()).kind).toBe('completed');
  await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 });
  const file_id = terminal.files.add(JSON.stringify(TRADER));
  const place = { name: 'Trader', symbol: 'EURUSD', period: 'M15', allow_algo_trading: 1, file_id };
  expect((await terminal.run(TaskType.EA_INSTALL, place)).kind).toBe('completed');
  const { driver, id } = terminal;
  const keeper = {
    list: () => [{ driver, isBusy: false }],
    find: () => driver,
    runOpen: (_: unknown, job: () => Promise<void>) => job(),
  };
  const server = { sendAccounts: async () => ({ too_soon: [], refused: [], cursors: [] }) };
  const accounts = new Accounts({ keeper, server, timing: systemTiming, log });
  const ending = new AbortController();
  const running = accounts.run(50, ending.signal);
  const state = () => accounts.latestAccount(id)?.state;
  await waitFor(() => state()?.positions_total === 2, { what: 'what the expert opens' });
  const parts = {
    accounts,
    keeper,
    interrupt: () => undefined,
    platform: 'sandbox',
    createId: randomUUID,
    log,
  } as const;
  const actions = createRiskActions(parts);
  const { signal } = new AbortController();
  await actions.switchTrading(id, false, signal);
  await waitFor(() => state()?.risk?.trade_denied_by.includes('terminal'), { what: 'algo trading off' });
  const close = () => actions.closeAll(id, () => undefined, signal);
  expect(await close()).toMatchObject({ isSwitchedOff: true, isEmpty: false, closed: 0 });
  expect(await actions.takeExpertsAway(id, signal)).toBe(1);
  expect(await actions.takeExpertsAway(id, signal)).toBe(0);
  await actions.switchTrading(id, true, signal);
  await waitFor(() => state()?.risk?.trade_denied_by.length === 0, { what: 'algo trading on' });
  expect(await close()).toMatchObject({ isSwitchedOff: false, isEmpty: true, closed: 2, leftOpen: [] });
  const folder = driver.observe()?.path ?? '';
  const templates = join(folder, 'MQL5/Profiles/Templates');
  expect(existsSync(templates) && readdirSync(templates).some((name) => /^Berth-\d+\.tpl$/.test(name))).toBe(true);
  ending.abort();
  await running;
  await driver.stop();
});
