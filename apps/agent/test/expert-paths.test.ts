/** Experts in folders below `Experts`: by which names they are found, and which of their files a task means. */
import { TaskType } from '@berth/contract';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { waitFor } from '@berth/testing/wait-for';
import { describe, expect, test } from 'vitest';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, lastOf } from './support/tasks.ts';

const host = useSandboxHost();

const open = (isMt4: boolean) => host.installTerminal({ isMt4 });
const findStates = async ({ driver }: TestTerminal) =>
  ((await driver.lookAtCharts!()) ?? []).map(({ expert }) => expert && [expert.name, expert.state]);
const write = (terminal: TestTerminal, program: 'mt4' | 'mt5', path: string, content = 'a program'): void => {
  const file = join(host.toRoot(terminal, program), path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
};

test('an expert in a folder of MetaTrader 4 is one expert, whether its path is named or its name', async () => {
  const terminal = await open(true);
  const { chart_id } = dataOf(await terminal.installExpert({ name: 'Tools\\Rider' }));
  expect(await findStates(terminal)).toEqual([['Tools\\Rider', 'running']]);
  const file_id = terminal.files.add('program two');
  expect(dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Rider', file_id })).charts).toEqual([chart_id]);
  expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider' })).removed).toEqual([chart_id]);
  const again = dataOf(await terminal.installExpert({ name: 'Tools\\Rider' }));
  const removal = await terminal.run(TaskType.EA_REMOVE, { name: 'Tools\\Rider' });
  expect(dataOf(removal).removed).toEqual([again.chart_id]);
});

test('an expert in a folder of MetaTrader 4 is stopped once its removal names it without the folder', async () => {
  const terminal = await open(true);
  dataOf(await terminal.installExpert({ name: 'Tools\\Rider' }));
  host.say(terminal, ['Expert Rider EURUSD,H1: removed'], 'mt4');
  await waitFor(async () => (await findStates(terminal))[0]?.[1] === 'stopped', { what: 'the removal' });
});

describe.each([
  ['MetaTrader 5', false],
  ['MetaTrader 4', true],
])('on %s a removal', (_, isMt4) => {
  const [program, folder, ending] = isMt4
    ? (['mt4', 'MQL4/Experts', 'ex4'] as const)
    : (['mt5', 'MQL5/Experts', 'ex5'] as const);

  test('a removal that matches no chart fails while the file is there, and deletes it where it is told to', async () => {
    const terminal = await open(isMt4);
    write(terminal, program, `${folder}/Rider.${ending}`);
    const last = lastOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider' }));
    expect(last).toMatchObject({ ok: false, code: 'E_FILE' });
    expect(last.message).toContain('No chart has Rider');
    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider', delete_file: 1 })).removed).toEqual([]);
    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider' })).removed).toEqual([]);
  });
});

test('a removal that is repeated after it closed the charts has nothing to do, though the file is there', async () => {
  const terminal = await open(false);
  dataOf(await terminal.installExpert());
  const ending = new AbortController();
  const outcome = terminal.run(TaskType.EA_REMOVE, { name: 'Rider' }, { signal: ending.signal });
  const order = join(host.toRoot(terminal), 'MQL5/Profiles/Charts/Default/order.wnd');
  await waitFor(() => readFileSync(order, 'utf16le').trim() === '', { what: 'the closed chart' });
  ending.abort();
  expect((await outcome).kind).toBe('failed');
  if (!terminal.driver.isAlive()) await terminal.driver.restart();
  expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider' })).removed).toEqual([]);
  expect(lastOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider' })).code).toBe('E_FILE');
});

test('a removal of an expert that was put on a chart by hand, which no file names yet, stops the terminal and looks again', async () => {
  const terminal = await open(false);
  const pid = await host.getPid(terminal);
  host.say(terminal, ['expert Rider (EURUSD,H1) loaded successfully']);
  const removal = async () => terminal.run(TaskType.EA_REMOVE, { name: 'Rider' });
  await waitFor(async () => {
    dataOf(await removal());
    return (await host.getPid(terminal)) !== pid;
  });
});

test('a removal by a path that no chart has fails though another expert of that name runs, which runs on', async () => {
  const terminal = await open(false);
  dataOf(await terminal.installExpert({ name: 'Market\\Rider' }));
  write(terminal, 'mt5', 'MQL5/Experts/Other/Rider.ex5');
  const last = lastOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Other\\Rider' }));
  expect(last).toMatchObject({ ok: false, code: 'E_FILE' });
  await waitFor(async () => (await findStates(terminal))[0]?.[1] === 'running', { what: 'the other expert' });
});

test('two programs of one name are not updated by their name alone: the refusal names them, and each is updated by its path', async () => {
  const terminal = await open(false);
  const first = dataOf(await terminal.installExpert());
  const second = dataOf(await terminal.installExpert({ name: 'Market\\Rider', symbol: 'GBPUSD' }));
  const file_id = terminal.files.add('program two');
  const refused = lastOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Rider', file_id }));
  expect(refused).toMatchObject({ ok: false, code: 'E_FILE' });
  expect(refused.message).toContain('Experts\\Rider.ex5, Experts\\Market\\Rider.ex5');
  const updated = dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Market\\Rider', file_id }));
  expect(updated.charts).toEqual([second.chart_id]);
  const other = dataOf(await terminal.run(TaskType.EA_UPDATE, { chart_id: first.chart_id, file_id }));
  expect([other.charts, other.sha256]).toEqual([[first.chart_id], updated.sha256]);
  expect(other.old_sha256).toBe(first.sha256);
});

test('two programs of one name on one symbol and period are two charts', async () => {
  const terminal = await open(false);
  const first = dataOf(await terminal.installExpert());
  const second = dataOf(await terminal.installExpert({ name: 'Market\\Rider' }));
  expect(second.chart_id).not.toBe(first.chart_id);
  expect(await findStates(terminal)).toEqual([
    ['Rider', 'running'],
    ['Rider', 'running'],
  ]);
});
