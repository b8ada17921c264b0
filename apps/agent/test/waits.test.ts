/** The deadlines of tasks leave room for all that the driver waits for at a real terminal. */
import { readFileSync } from 'node:fs';
import { taskCatalogue, TaskType, type TaskTypeName } from '@berth/contract';
import { expect, test } from 'vitest';
import { REAL_WAITS } from '../src/platforms/metatrader/editions/real/real-edition.ts';

const { startMs, loginSilenceMs, expertLoadMs, expertSettleMs, scriptMs, toggleMs, politeStopMs, reloadMs } =
  REAL_WAITS;
const restartMs = politeStopMs + startMs;
/** A login that is silent as long as it may be, and then stays with another account as long. */
const loginMs = 2 * loginSilenceMs;
const expertsMs = restartMs + expertLoadMs + loginSilenceMs + expertSettleMs + toggleMs;

/** The longest of each, but for copies and transfers. */
const longest: Partial<Record<TaskTypeName, number>> = {
  TERMINAL_INSTALL: startMs + loginMs,
  EA_INSTALL: expertsMs,
  EA_UPDATE: expertsMs,
  EA_REMOVE: restartMs + reloadMs,
  ACCOUNT_SERVER: restartMs,
  ACCOUNT_LOGIN: restartMs + loginMs + toggleMs,
  ACCOUNT_LOGOUT: politeStopMs,
  ACCOUNT_OPEN_DEMO: loginMs,
  OPTIONS_AUTO_TRADE: restartMs + 3 * toggleMs,
  MARKET_WATCH_SHOW_ALL: restartMs + loginMs + 2 * scriptMs,
};

test.each(Object.entries(longest) as [TaskTypeName, number][])('%s may last as long as its waits', (name, waitsMs) => {
  expect(taskCatalogue[TaskType[name]].runningDeadlineMs).toBeGreaterThanOrEqual(waitsMs + 60_000);
});

test('what waits for a login, a symbol, an update or a late line waits longer than the longest that was seen', () => {
  expect(loginSilenceMs).toBeGreaterThan(178_000 + 15_000);
  expect(expertSettleMs).toBeGreaterThan(307_000 + 15_000);
  // All examples were compiled in 128.5 s, and an update took 104.8 s.
  expect(Math.min(startMs, expertLoadMs)).toBeGreaterThan(128_500 + 15_000);
  expect(REAL_WAITS.updateSettleMs).toBeGreaterThan(104_800);
  expect(Math.min(toggleMs, reloadMs, REAL_WAITS.expertSpokenMs)).toBeGreaterThan(15_000);
});

test('the page has a row for each of the waits, in seconds', () => {
  const page = readFileSync(new URL('../../../docs/platforms/metatrader.md', import.meta.url), 'utf8');
  const rows = Object.entries(REAL_WAITS).map(([name, ms]) => ({ name, start: `| \`${name}\` | ${ms / 1000} s |` }));
  expect(rows.filter(({ start }) => !page.includes(start))).toEqual([]);
});
