/** What a terminal is set up with, worked out from its tasks. */
import { TaskStatus, TaskType } from '@berth/contract';
import { expect, it } from 'vitest';
import { toRestoration } from '../src/snapshots/restoring.ts';
import { EMPTY_SETUP, isSameSetup, toSetupAfter, type Setup, type SetupTask } from '../src/snapshots/setup.ts';

const toFile = (name: string) => ({ id: `id of ${name}`, sha256: `hash of ${name}` });

const toTask = (type: TaskType, payload: object, changes: Partial<SetupTask> = {}): SetupTask => {
  const file = 'file_id' in payload ? toFile(String(payload.file_id)) : null;
  return { type, status: TaskStatus.COMPLETED, payload: { ...payload }, chartId: null, file, ...changes };
};

const after = (...tasks: SetupTask[]): Setup => tasks.reduce(toSetupAfter, EMPTY_SETUP);

const trend = { name: 'Trend', file_id: 'v1', symbol: 'EURUSD', period: 'H1', inputs: { Lots: '0.10' } };
const install = (changes: object = {}, chartId = '1') =>
  toTask(TaskType.EA_INSTALL, { ...trend, ...changes }, { chartId });
const list = ({ experts }: Setup) => experts.map(({ name, symbol, file, inputs }) => [name, symbol, file.id, inputs]);

it('an expert is set up where it was installed, with its last file and inputs, until it is removed', () => {
  const two = [
    install(),
    install({ symbol: 'GBPUSD' }, '2'),
    install({ name: 'Folder\\Grid', inputs: undefined }, '3'),
  ];
  expect(list(after(...two))).toEqual([
    ['Trend', 'EURUSD', 'id of v1', { Lots: '0.10' }],
    ['Trend', 'GBPUSD', 'id of v1', { Lots: '0.10' }],
    ['Folder\\Grid', 'EURUSD', 'id of v1', {}],
  ]);
  const updated = after(
    ...two,
    toTask(TaskType.EA_UPDATE, { chart_id: '2', inputs: { Risk: 2 }, file_id: 'v2' }),
    toTask(TaskType.EA_UPDATE, { name: 'Grid', inputs: { Step: 5 } }),
  );
  // One program is one file: the other chart has the new one, too, with its own inputs.
  expect(list(updated)).toEqual([
    ['Trend', 'EURUSD', 'id of v2', { Lots: '0.10' }],
    ['Trend', 'GBPUSD', 'id of v2', { Lots: '0.10', Risk: 2 }],
    ['Folder\\Grid', 'EURUSD', 'id of v1', { Step: 5 }],
  ]);
  expect(list(toSetupAfter(updated, install({ inputs: { Lots: '1' } }, '9')))[0]).toEqual([
    'Trend',
    'EURUSD',
    'id of v1',
    { Lots: '1' },
  ]);
  expect(list(toSetupAfter(updated, toTask(TaskType.EA_REMOVE, { chart_id: '1' })))).toHaveLength(2);
  expect(list(toSetupAfter(updated, toTask(TaskType.EA_REMOVE, { name: 'Trend' })))).toEqual([
    ['Folder\\Grid', 'EURUSD', 'id of v1', { Step: 5 }],
  ]);
});

it('a task that failed sets nothing up, but algo trading that was to be off counts as off', () => {
  const failed = { status: TaskStatus.FAILED };
  expect(after({ ...install(), ...failed })).toEqual(EMPTY_SETUP);
  expect(after({ ...install(), file: null })).toEqual(EMPTY_SETUP);
  const [on, off] = [1, 0].map((allowed) => toTask(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: allowed }));
  expect(after({ ...on!, ...failed }).algo_trading).toBe(false);
  expect(after(on!).algo_trading).toBe(true);
  expect(after(on!, { ...off!, ...failed }).algo_trading).toBe(false);
});

it('a setup is bounded: what does not fit is left out, and the setup says so', () => {
  const large = { Text: 'x'.repeat(1024) };
  const inputs = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`Text${index}`, large.Text]));
  const charts = Array.from({ length: 101 }, (_, index) => install({ symbol: `S${index}` }, String(index)));
  const many = after(...charts);
  expect([many.experts.length, many.is_complete]).toEqual([100, false]);
  const heavy = after(...charts.slice(0, 50).map((task) => ({ ...task, payload: { ...task.payload, inputs } })));
  expect(heavy.is_complete).toBe(false);
  expect(Buffer.byteLength(JSON.stringify(heavy))).toBeLessThan(256 * 1024);
});

it('a terminal is made anew in an order in which nothing trades before everything is in place', () => {
  const servers = Array.from({ length: 40 }, (_, index) => ({ name: `S${index}`, address: 'a.example:443' }));
  const setup = after(
    toTask(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 1 }),
    install({ allow_algo_trading: 1 }),
    toTask(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://a.example/path' }),
    toTask(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://b.example' }),
    toTask(TaskType.OPTIONS_WEB_REQUEST, { url: 'https://b.example', remove: 1 }),
    toTask(TaskType.MARKET_WATCH_SHOW_ALL, {}),
    toTask(TaskType.ACCOUNT_SERVER, { servers }),
  );
  const { tasks, missing, canTrade } = toRestoration(setup, ({ id }) => id);
  expect(tasks.map(({ type }) => type)).toEqual([
    TaskType.ACCOUNT_SERVER,
    TaskType.ACCOUNT_SERVER,
    TaskType.ACCOUNT_LOGIN,
    TaskType.MARKET_WATCH_SHOW_ALL,
    TaskType.OPTIONS_WEB_REQUEST,
    TaskType.EA_INSTALL,
  ]);
  expect(tasks.at(-1)?.payload).toEqual({
    ...{ ...trend, file_id: 'id of v1' },
    ...{ allow_algo_trading: 1, allow_dll: 0 },
  });
  expect([missing, canTrade]).toEqual([[], true]);
  // Played again, it makes the same terminal.
  const again = after(...tasks.map(({ type, payload }) => toTask(type, payload, { file: toFile('v1') })));
  expect(isSameSetup({ ...again, server_file: null, algo_trading: true }, setup)).toBe(true);
  expect(toRestoration(setup, () => undefined)).toMatchObject({ missing: ['Trend'], canTrade: false });
});
