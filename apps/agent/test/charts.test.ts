/** A host's view of charts and EAs, and how it reports them to the server, which may be down. */
import { createHash, randomUUID } from 'node:crypto';
import { rm, symlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MAX_CHARTS_BYTES, TaskType, type TerminalChart, type WantedTerminal } from '@berth/contract';
import { waitFor } from '@berth/testing/wait-for';
import { describe, expect, test } from 'vitest';
import { createStateFinder } from '../src/platforms/metatrader/seen-charts.ts';
import { useAgent, type AgentUnderTest } from './support/agent-under-test.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { aTask, aTerminal } from './support/tasks.ts';

const toSha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('a host', () => {
  const host = useSandboxHost();

  const install = (isMt4: boolean) => host.installTerminal({ isMt4 });
  const run = async (terminal: TestTerminal, type: TaskType, payload: Record<string, unknown>) => {
    const { kind, steps } = await terminal.run(type, payload);
    expect(kind, JSON.stringify(steps)).toBe('completed');
    return steps.at(-1)!.data;
  };
  const look = async ({ driver }: TestTerminal, name = 'Trend'): Promise<TerminalChart[]> =>
    ((await driver.lookAtCharts!()) ?? []).filter(({ expert }) => expert?.name === name);

  test.each([
    ['MetaTrader 5', false],
    ['MetaTrader 4', true],
  ])('a host sees what tasks did to the charts of %s', async (_, isMt4) => {
    const terminal = await host.createTerminal({ isMt4 });
    expect(await terminal.driver.lookAtCharts!()).toBeUndefined();
    expect((await terminal.install()).kind).toBe('completed');
    expect(await look(terminal)).toEqual([]);
    const place = { name: 'Trend', symbol: 'EURUSD', period: 'M15', inputs: { Lots: 0.1, Magic: 7 } };
    const file_id = terminal.files.add('program one');
    const permissions = { allow_algo_trading: 1, ...(isMt4 ? {} : { allow_dll: 1 }) };
    const { chart_id } = await run(terminal, TaskType.EA_INSTALL, { ...place, ...permissions, file_id });
    const [chart, ...others] = await look(terminal);
    expect(others).toEqual([]);
    expect(chart).toEqual({
      chart_id,
      symbol: 'EURUSD',
      period: 'M15',
      expert: {
        name: 'Trend',
        inputs: expect.objectContaining({ Lots: '0.1', Magic: '7' }) as object,
        allow_algo_trading: 1,
        allow_dll: isMt4 ? null : 1,
        sha256: toSha256('program one'),
        state: 'running',
      },
    });
    const update = { name: 'Trend', file_id: terminal.files.add('program two'), inputs: { Lots: 0.2 } };
    await run(terminal, TaskType.EA_UPDATE, update);
    expect((await look(terminal))[0]?.expert).toMatchObject({
      inputs: { Lots: '0.2', Magic: '7' },
      sha256: toSha256('program two'),
      state: 'running',
    });
    await run(terminal, TaskType.ACCOUNT_LOGOUT, {});
    expect((await look(terminal))[0]?.expert).toMatchObject({ state: 'stopped' });
    await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } });
    await run(terminal, TaskType.EA_REMOVE, { name: 'Trend' });
    expect(await look(terminal)).toEqual([]);
  });

  test('a host sees through a hostile folder: no link is followed, and what is too large has no digest', async () => {
    const terminal = await install(false);
    const file_id = terminal.files.add('program one');
    await run(terminal, TaskType.EA_INSTALL, { name: 'Trend', symbol: 'EURUSD', period: 'M15', file_id });
    const program = join(host.toRoot(terminal), 'MQL5/Experts/Trend.ex5');
    const digest = async () => (await look(terminal))[0]?.expert?.sha256;
    expect(await digest()).toBe(toSha256('program one'));
    await rm(program);
    expect(await digest()).toBe(null);
    await symlink('/etc/passwd', program);
    expect(await digest()).toBe(null);
    await rm(program);
    await writeFile(program, 'changed outside');
    expect(await digest()).toBe(toSha256('changed outside'));
    await truncate(program, 33 * 1024 * 1024);
    expect(await digest()).toBe(null);
  });
});

test('as many of several charts with one expert at one place run as were loaded', () => {
  const place = { name: 'Trend', symbol: 'EURUSD', period: 'M15' };
  const other = { ...place, symbol: 'GBPUSD' };
  const failed = { ...other, reason: 'no symbol', line: 'initializing … failed', isOnChart: false, isEarly: false };
  const roster = { experts: [place], failedExperts: [failed], endedExperts: [], isExpertsLogCut: false };
  const find = createStateFinder(roster, true);
  expect([find(place), find(place), find(other)]).toEqual([
    { state: 'running' },
    { state: 'unknown' },
    { state: 'failed', line: 'initializing … failed' },
  ]);
  expect(createStateFinder(roster, false)(place)).toEqual({ state: 'stopped' });
  expect(createStateFinder({ ...roster, isExpertsLogCut: true }, true)(place)).toEqual({ state: 'unknown' });
});

describe('an agent', () => {
  let host: AgentUnderTest;
  let charts: TerminalChart[];
  useAgent((agent) => {
    host = agent;
    charts = [{ chart_id: '1', symbol: 'EURUSD', period: 'H1', expert: null }];
    host.terminals.look = async () => charts;
  });

  const carryOut = async (type: TaskType, terminal: WantedTerminal) => {
    const task = aTask(terminal, { type });
    host.server.deliver(task);
    await host.endOf(task.id);
  };
  const install = () => host.install(aTerminal(randomUUID()));
  const reportedOf = (id: string) => host.server.charts.flat().filter(({ terminal_id }) => terminal_id === id);
  const waitForCount = (id: string, count: number) =>
    waitFor(() => reportedOf(id).length >= count, { what: `${count} reports of charts`, timeoutMs: 30_000 });

  test('an agent reports charts when it finds a terminal, and after a task that changed them, and otherwise not', async () => {
    host.start();
    const terminal = await install();
    await waitForCount(terminal.id, 1);
    expect(reportedOf(terminal.id)[0]).toEqual({ terminal_id: terminal.id, charts, truncated: false });
    await carryOut(TaskType.EA_LOGS, terminal);
    charts = [{ ...charts[0]!, symbol: 'GBPUSD' }];
    await carryOut(TaskType.EA_REMOVE, terminal);
    await waitForCount(terminal.id, 2);
    expect(reportedOf(terminal.id).map((reported) => reported.charts[0]?.symbol)).toEqual(['EURUSD', 'GBPUSD']);
  });

  test('an agent reports everything again to a server that asks for it, and what came too soon a little later', async () => {
    host.start();
    const terminal = await install();
    await waitForCount(terminal.id, 1);
    host.server.wantsResync = true;
    await waitForCount(terminal.id, 2);
    host.server.tooSoon.add(terminal.id);
    host.server.wantsResync = true;
    await waitForCount(terminal.id, 5);
    host.server.tooSoon.clear();
  });

  test('an agent goes on without those that hang or fail, and cuts what is too long for one terminal', async () => {
    const [hanging, failing] = [new Set<string>(), new Set<string>()];
    const many: TerminalChart[] = Array.from({ length: 100 }, (_, number) => ({
      ...charts[0]!,
      chart_id: String(number),
      expert: {
        name: 'Trend',
        inputs: Object.fromEntries(Array.from({ length: 10 }, (_, n) => [`Input${n}`, 'x'.repeat(1_000)])),
        ...{ allow_algo_trading: 1, allow_dll: 0, sha256: null, state: 'running' },
      },
    }));
    host.terminals.look = async (id) => {
      if (hanging.has(id)) await new Promise(() => undefined);
      if (failing.has(id)) throw new Error('no such box');
      return many;
    };
    host.start();
    const [one, two, three] = [aTerminal(randomUUID()), aTerminal(randomUUID()), aTerminal(randomUUID())];
    hanging.add(one.id);
    failing.add(two.id);
    for (const terminal of [one, two, three]) await carryOut(TaskType.TERMINAL_INSTALL, terminal);
    await waitForCount(three.id, 1);
    const [reported] = reportedOf(three.id);
    expect([reported!.truncated, reported!.charts.length > 5]).toEqual([true, true]);
    expect(Buffer.byteLength(JSON.stringify(reported!.charts))).toBeLessThanOrEqual(MAX_CHARTS_BYTES + 2);
    expect([...reportedOf(one.id), ...reportedOf(two.id)]).toEqual([]);
  });

  test('an agent does not ask a server again that does not know the call', async () => {
    let asked = 0;
    host.server.inPlace = (call) => {
      if (call !== 'charts') return undefined;
      asked += 1;
      return { status: 404, code: 'route_not_found', body: { ok: false, msg: 'The requested route does not exist.' } };
    };
    host.start();
    const terminal = await install();
    await waitFor(() => asked > 0, { what: 'the first try' });
    host.server.inPlace = () => undefined;
    const beats = host.server.heartbeats.length;
    await waitFor(() => host.server.heartbeats.length > beats + 5, { what: 'some heartbeats' });
    expect(reportedOf(terminal.id)).toEqual([]);
    charts = [];
    await carryOut(TaskType.EA_LOGS, terminal);
    await waitForCount(terminal.id, 1);
  });
});
