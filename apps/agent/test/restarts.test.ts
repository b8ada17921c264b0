/** docs/guides/restarts.md says which tasks restart a terminal: each is carried out, and the process looked at before and after. */
import { readFileSync } from 'node:fs';
import { TaskType } from '@berth/contract';
import { beforeAll, expect, test } from 'vitest';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';

const page = readFileSync(new URL('../../../docs/guides/restarts.md', import.meta.url), 'utf8');

/** The page's row for a type. */
const findWord = (type: number): string =>
  new RegExp(`^\\| ${type} \\w+ +\\| ([^|]*)\\|$`, 'm').exec(page)?.[1]?.trim() ?? '';

const host = useSandboxHost();
let terminal: TestTerminal;
beforeAll(async () => {
  terminal = await host.installTerminal();
});

const expert = (): Record<string, unknown> => ({
  name: 'Trend',
  symbol: 'EURUSD',
  period: 'M15',
  file_id: terminal.files.add('program one'),
  allow_algo_trading: 1,
});

/** In this order on one terminal; `restarts` is what is seen. */
const cases: { type: TaskType; payload?: () => Record<string, unknown>; restarts: boolean }[] = [
  { type: TaskType.EA_INSTALL, payload: expert, restarts: true },
  { type: TaskType.EA_INSTALL, payload: expert, restarts: false },
  { type: TaskType.EA_UPDATE, payload: () => ({ name: 'Trend', inputs: { Lots: 0.2 } }), restarts: true },
  { type: TaskType.EA_LOGS, restarts: false },
  { type: TaskType.SCREENSHOT, restarts: false },
  { type: TaskType.SCREENSHOT_LATENCY, restarts: false },
  { type: TaskType.OPTIONS_AUTO_TRADE, payload: () => ({ allow_algo_trading: 0 }), restarts: false },
  { type: TaskType.OPTIONS_WEB_REQUEST, payload: () => ({ url: 'https://example.com' }), restarts: false },
  { type: TaskType.MARKET_WATCH_SHOW_ALL, restarts: true },
  {
    type: TaskType.ACCOUNT_SERVER,
    payload: () => ({ servers: [{ name: 'Other-Demo', address: '127.0.0.1:443' }] }),
    restarts: false,
  },
  { type: TaskType.ACCOUNT_SERVER, payload: () => ({ file_id: terminal.files.add('servers') }), restarts: true },
  { type: TaskType.EA_REMOVE, payload: () => ({ name: 'Trend' }), restarts: true },
  { type: TaskType.ACCOUNT_LOGIN, payload: () => ({ login: '5001', server_name: 'Test-Demo' }), restarts: true },
  {
    type: TaskType.ACCOUNT_OPEN_DEMO,
    payload: () => ({ server_name: 'Harbour-Demo', name: 'Ada Lovelace', email: 'ada@example.com' }),
    restarts: false,
  },
];

const names = Object.fromEntries(Object.entries(TaskType).map(([name, type]) => [type, name]));

test.each(cases.map((each, index) => ({ ...each, name: names[each.type], index })))(
  'row $index of the page of restarts: $name restarts the terminal: $restarts',
  async ({ type, payload, restarts }) => {
    const before = await host.getPid(terminal);
    const outcome = await terminal.run(type, payload?.() ?? {}, { secrets: { password: terminal.account.password } });
    expect(outcome.kind, JSON.stringify(outcome.steps)).toBe('completed');
    expect((await host.getPid(terminal)) !== before).toBe(restarts);
    expect(findWord(type)).toMatch(restarts ? /\byes\b/ : /\bno\b/);
  },
);

test('the page of restarts says yes and nothing else of what always restarts, and no of what never does', () => {
  for (const type of new Set(cases.map((each) => each.type))) {
    const seen = new Set(cases.filter((each) => each.type === type).map(({ restarts }) => restarts));
    if (!seen.has(true)) expect(findWord(type)).toMatch(/^no/);
    if (!seen.has(false)) expect(findWord(type)).toMatch(/^yes/);
  }
});

test('a logout stops the terminal', async () => {
  await terminal.run(TaskType.ACCOUNT_LOGOUT);
  expect(terminal.driver.isAlive()).toBe(false);
  expect(findWord(TaskType.ACCOUNT_LOGOUT)).toContain('stops it');
});
