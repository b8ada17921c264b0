import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TaskType, TerminalStatus } from '@berth/contract';
import { findProcessStat } from '@berth/kit';
import { beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '@berth/testing/wait-for';
import { FileRefusedError } from '../src/platforms/driver.ts';
import { decodeText } from '../src/platforms/metatrader/files/text-file.ts';
import { taskHandlers } from '../src/platforms/metatrader/tasks/index.ts';
import { toChartOnScreen } from '../src/platforms/metatrader/tasks/screenshot.ts';
import { toLatency } from '../src/platforms/metatrader/tasks/screenshot-latency.ts';
import { useSandboxHost, type TestTerminal } from './support/sandbox-host.ts';
import { dataOf, exists, lastOf } from './support/tasks.ts';

const host = useSandboxHost();

const readSettings = async (terminal: TestTerminal) =>
  decodeText(await readFile(join(host.toRoot(terminal), 'config/common.ini'))).text;

const programs = [
  ['MetaTrader 5', false],
  ['MetaTrader 4', true],
] as const;

const installExpert = (terminal: TestTerminal, payload: Record<string, unknown> = {}) =>
  terminal.installExpert({ name: 'Trend', period: 'M15', ...payload });

test('every type of task has its handler', () => {
  expect(Object.keys(taskHandlers)).toEqual(Object.keys(TaskType));
});

test.each(programs)(
  'TERMINAL_INSTALL ends logged in, and the password is nowhere in the folder (%s)',
  async (_, isMt4) => {
    const terminal = await host.createTerminal({ isMt4 });
    const root = host.toRoot(terminal, isMt4 ? 'mt4' : 'mt5');
    const outcome = await terminal.install();
    expect(dataOf(outcome)).toEqual({ path: root, build: expect.any(Number) as number });
    expect(terminal.statuses.at(0)).toBe(TerminalStatus.INSTALLING);
    expect(terminal.statuses.at(-1)).toBe(TerminalStatus.ACTIVE);
    expect(terminal.driver.observe()).toMatchObject({
      status: TerminalStatus.ACTIVE,
      reason: null,
      path: root,
    });
    const home = join(host.folder, 'terminals', terminal.id);
    const holdsPassword = async (): Promise<boolean> => {
      for (const entry of await readdir(home, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile()) continue;
        const bytes = await readFile(join(entry.parentPath, entry.name));
        if (bytes.includes(terminal.account.password)) return true;
        if (bytes.includes(Buffer.from(terminal.account.password, 'utf16le'))) return true;
      }
      return false;
    };
    expect(await holdsPassword()).toBe(false);
    const commandLine = await readFile(`/proc/${await host.getPid(terminal)}/cmdline`, 'utf8');
    expect(commandLine).not.toContain(terminal.account.password);
    expect((await stat(join(home, 'terminal.json'))).mode & 0o777).toBe(0o600);
    expect(JSON.stringify(outcome)).not.toContain(terminal.account.password);
  },
);

test('a wrong password does not fail TERMINAL_INSTALL, but shows', async () => {
  await host.installTerminal();
  const terminal = await host.createTerminal();
  terminal.account.password = 'another';
  const outcome = await terminal.install();
  expect(outcome.kind).toBe('completed');
  expect(outcome.steps.find(({ step }) => step === 'log_in')).toMatchObject({ ok: false, code: 'E_AUTH' });
  expect(terminal.driver.observe()).toMatchObject({
    status: TerminalStatus.LOGIN_FAILED,
    reason: expect.stringContaining('Invalid account') as string,
  });
});

test('TERMINAL_INSTALL, repeated, starts the terminal again and changes nothing else', async () => {
  const terminal = await host.installTerminal();
  dataOf(await installExpert(terminal));
  dataOf(await terminal.install());
  await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Trend' })).removed).toHaveLength(1);
});

describe('experts', () => {
  let terminal: TestTerminal;
  beforeAll(async () => {
    terminal = await host.installTerminal();
  });

  test('an expert is installed once: the same again restarts nothing', async () => {
    const file_id = terminal.files.add('program one');
    const first = dataOf(await installExpert(terminal, { file_id, inputs: { Lots: 0.1, On: true } }));
    const pid = await host.getPid(terminal);
    expect(dataOf(await installExpert(terminal, { file_id, inputs: { Lots: 0.1, On: true } }))).toEqual(first);
    expect(await host.getPid(terminal)).toBe(pid);

    const changed = dataOf(await installExpert(terminal, { file_id, inputs: { Lots: 0.2 } }));
    expect(changed.chart_id).toBe(first.chart_id);
    expect(await host.getPid(terminal)).not.toBe(pid);
    const logs = dataOf(await terminal.run(TaskType.EA_LOGS, { contains: 'inputs:' }));
    expect((logs.lines as string[]).at(-1)).toMatch(/Trend \(EURUSD,M15\)\tinputs: Lots=0\.2$/);
  });

  test.each(['Volatility 75 (1s) Index', 'S&P.r_i#1'])(
    'run on %s: they are loaded, changed, seen and removed',
    async (symbol) => {
      const place = { name: 'Rider (b)', symbol, period: 'D1' };
      const { chart_id } = dataOf(await installExpert(terminal, place));
      const seen = (await terminal.driver.lookAtCharts!())!.find((chart) => chart.chart_id === chart_id);
      expect(seen).toMatchObject({ symbol, period: 'D1', expert: { name: 'Rider (b)', state: 'running' } });
      dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Rider (b)', inputs: { Lots: 3 } }));
      dataOf(await terminal.run(TaskType.SCREENSHOT, { chart_id }));
      expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Rider (b)' })).removed).toEqual([chart_id]);
    },
  );

  test('a symbol that the broker lacks is E_SYMBOL, and the chart is taken away again', async () => {
    const outcome = await installExpert(terminal, { symbol: 'NOPE', name: 'Other' });
    expect(lastOf(outcome)).toMatchObject({ ok: false, code: 'E_SYMBOL' });
    expect(lastOf(outcome).message).toMatch(/^Other found no symbol NOPE at this broker\. Write the symbol/);
    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Other' })).removed).toEqual([]);
    expect(await exists(join(host.toRoot(terminal), 'MQL5/Experts/Other.ex5'))).toBe(false);
    expect(terminal.driver.isAlive()).toBe(true);
  });

  test('a file that cannot be had is E_FILE, before anything is touched', async () => {
    const pid = await host.getPid(terminal);
    const missing = '0198c2a1-7d1e-7a9b-9f0e-3f5d2c6b8a10';
    expect(lastOf(await installExpert(terminal, { file_id: missing })).code).toBe('E_FILE');
    expect(lastOf(await installExpert(terminal, { file_id: terminal.files.add('') })).code).toBe('E_FILE');
    expect(await host.getPid(terminal)).toBe(pid);
  });

  test('an update replaces the program and merges inputs, once', async () => {
    const { chart_id } = dataOf(await installExpert(terminal, { inputs: { Lots: 1, Stop: 5 }, allow_algo_trading: 1 }));
    const file_id = terminal.files.add('program two');
    const updated = dataOf(await terminal.run(TaskType.EA_UPDATE, { chart_id, file_id, inputs: { Lots: 2 } }));
    expect(updated.charts).toEqual([chart_id]);
    expect(updated.sha256).not.toBe(updated.old_sha256);
    const { lines } = dataOf(await terminal.run(TaskType.EA_LOGS, { contains: 'inputs:' })) as { lines: string[] };
    expect(lines.at(-1)).toMatch(/inputs: Lots=2; Stop=5$/);
    const pid = await host.getPid(terminal);
    const again = dataOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Trend', file_id, inputs: { Lots: 2 } }));
    expect(again.old_sha256).toBe(updated.sha256);
    expect(await host.getPid(terminal)).toBe(pid);
    expect(lastOf(await terminal.run(TaskType.EA_UPDATE, { name: 'Nobody', inputs: {} })).code).toBe('E_FILE');
  });

  test('removal takes the chosen expert and its file, and leaves the others', async () => {
    dataOf(await installExpert(terminal, { symbol: 'GBPUSD' }));
    const kept = dataOf(await installExpert(terminal, { name: 'Kept', symbol: 'USDJPY', period: 'MN1' }));
    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Trend', delete_file: 1 })).removed).toHaveLength(2);
    const root = host.toRoot(terminal);
    expect(await exists(join(root, 'MQL5/Experts/Trend.ex5'))).toBe(false);
    expect(await exists(join(root, 'MQL5/Experts/Kept.ex5'))).toBe(true);
    const again = dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Trend', delete_file: 1 }));
    expect(again.removed).toEqual([]);
    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { chart_id: kept.chart_id })).removed).toEqual([
      kept.chart_id,
    ]);
  });
});

test('logs are filtered by day, text and number, and show when there is more', async () => {
  const terminal = await host.installTerminal();
  const folder = join(host.toRoot(terminal), 'MQL5/Logs');
  const lines = ['one', 'two', 'two more'].map((text) => `AB\t0\t01:02:03.004\tE (X,M1)\t${text}\r\n`).join('');
  await writeFile(join(folder, '20250102.log'), `\ufeff${lines}`, 'utf16le');
  const read = (payload: object) => terminal.run(TaskType.EA_LOGS, { date: '2025-01-02', ...payload });
  expect(dataOf(await read({}))).toEqual({
    lines: ['one', 'two', 'two more'].map((text) => `01:02:03.004\tE (X,M1)\t${text}`),
    truncated: false,
  });
  const last = { lines: ['01:02:03.004\tE (X,M1)\ttwo more'], truncated: true };
  expect(dataOf(await read({ contains: 'two', lines: 1 }))).toEqual(last);
  expect(dataOf(await read({ date: '2025-01-03' }))).toEqual({ lines: [], truncated: false });
  const journal = dataOf(await terminal.run(TaskType.EA_LOGS, { source: 'journal', contains: 'started for' }));
  expect(journal.lines).toHaveLength(1);
});

test('logs have the lines that are not understood, too', async () => {
  const terminal = await host.installTerminal();
  const folder = join(host.toRoot(terminal), 'MQL5/Logs');
  const text = '\ufeffAB\t0\t01:02:03.004\tE (X,M1)\tone\r\nits second line\r\n\r\n';
  await writeFile(join(folder, '20250102.log'), text, 'utf16le');
  const { lines } = dataOf(await terminal.run(TaskType.EA_LOGS, { date: '2025-01-02' }));
  expect(lines).toEqual(['01:02:03.004\tE (X,M1)\tone', '\t\tits second line']);
});

test.each(programs)(
  'screenshots are PNG files of the asked size, with the latency where it is asked for (%s)',
  async (_, isMt4) => {
    const terminal = await host.installTerminal({ isMt4 });
    const { chart_id } = dataOf(await installExpert(terminal));
    const { file } = dataOf(await terminal.run(TaskType.SCREENSHOT, { chart_id, width: 640, height: 480 })) as {
      file: Record<string, unknown>;
    };
    const content = terminal.files.contents.get(String(file.id))!;
    expect(file).toMatchObject({ width: 640, height: 480, bytes: content.length, type: 'image/png' });
    expect(content.subarray(1, 4).toString()).toBe('PNG');
    const { latency_ms } = dataOf(await terminal.run(TaskType.SCREENSHOT_LATENCY, { samples: 3 })) as {
      latency_ms: Record<string, number>;
    };
    expect(latency_ms.loss).toBe(0);
    expect(latency_ms.min).toBeGreaterThan(0);
    expect(latency_ms.max).toBeGreaterThanOrEqual(latency_ms.avg!);
    expect(lastOf(await terminal.run(TaskType.SCREENSHOT, { chart_id: 'nope' })).code).toBe('E_FILE');
  },
);

test('screenshots of an account without storage fail with what to do', async () => {
  const terminal = await host.installTerminal();
  terminal.files.refusal = new FileRefusedError('storage_quota', 'Your storage is full.');
  for (const type of [TaskType.SCREENSHOT, TaskType.SCREENSHOT_LATENCY]) {
    const last = lastOf(await terminal.run(type));
    expect(last).toMatchObject({ step: 'upload_file', ok: false, code: 'E_DISK' });
    expect(last.message).toBe('The storage of the account is full. Delete files or screenshots, and repeat the task.');
  }
});

test('screenshots of a chart find its window by the long name of its period too', () => {
  const chart = { file: 'chart01.chr', symbol: 'Volatility 75 (1s) Index', period: 'D1' as const };
  const captions = ['Volatility 75 (1s) Index,Daily', 'Volatility 75 (1s) Index,D1'];
  expect(toChartOnScreen(chart)).toEqual({ file: 'chart01.chr', captions });
});

test('lost samples are counted in percent, and none at all is no latency', () => {
  expect(toLatency([1, undefined, 2, 3.00049])).toEqual({ min: 1, avg: 2, max: 3, loss: 25 });
  expect(() => toLatency([undefined])).toThrow('not reached');
});

describe('accounts', () => {
  test('a login moves the terminal to another account, with its charts', async () => {
    const terminal = await host.installTerminal();
    dataOf(await installExpert(terminal));
    const outcome = await terminal.run(
      TaskType.ACCOUNT_LOGIN,
      { login: '6001', server_name: 'Second-Live' },
      { secrets: { password: 'pw' } },
    );
    expect(dataOf(outcome)).toMatchObject({ login: '6001', server_name: 'Second-Live', connected: true });
    expect(lastOf(outcome).data.ping_ms).toBeGreaterThanOrEqual(0);
    expect((await host.readRecord(terminal)).account).toEqual({ login: '6001', server_name: 'Second-Live' });
    expect(dataOf(await terminal.run(TaskType.EA_REMOVE, { name: 'Trend' })).removed).toHaveLength(1);
  });

  test.each([
    ['Test-Demo', 'E_AUTH', 6],
    ['UnreachableX', 'E_NO_CONNECTION', 4],
    ['UnknownX', 'E_SERVER_UNKNOWN', 6],
  ])(
    'a login to %s that fails is %s and status %i, and the terminal keeps running',
    async (server_name, code, status) => {
      const terminal = await host.installTerminal();
      const secrets = { password: 'wrong' };
      const outcome = await terminal.run(TaskType.ACCOUNT_LOGIN, { server_name }, { secrets });
      expect(lastOf(outcome)).toMatchObject({ ok: false, code });
      // Between two of its tries it says that it connects.
      await waitFor(() => terminal.driver.observe()?.status === status, { what: `status ${status}` });
      expect(terminal.driver.isAlive()).toBe(true);
      dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } }));
      expect(terminal.driver.observe()?.status).toBe(TerminalStatus.ACTIVE);
    },
  );

  test('an address given for a name is used at the next login', async () => {
    const terminal = await host.installTerminal();
    const address = (await readFile(host.networkFile, 'utf8')).trim();
    const known = async (name: string) =>
      dataOf(await terminal.run(TaskType.ACCOUNT_SERVER, { servers: [{ name, address }] })).known;
    expect(await known('UnknownBroker')).toEqual(['UnknownBroker']);
    expect(await known('unknownbroker')).toEqual(['unknownbroker']);
    const login = { login: '7001', server_name: 'UnknownBroker' };
    const outcome = await terminal.run(TaskType.ACCOUNT_LOGIN, login, { secrets: { password: 'pw' } });
    expect(dataOf(outcome)).toMatchObject({ server_name: 'UnknownBroker', connected: true });
    // Without a password: the account that it has, under another of its names.
    for (const other of [{ login: '007001' }, { server_name: 'unKNOWNbroker' }, { server_name: address }])
      dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, { ...login, ...other }));
  });

  test('a server file is in place and the terminal runs again', async () => {
    const terminal = await host.installTerminal();
    const file_id = terminal.files.add('servers');
    dataOf(await terminal.run(TaskType.ACCOUNT_SERVER, { file_id }));
    expect(await readFile(join(host.toRoot(terminal), 'config/servers.dat'), 'utf8')).toBe('servers');
    await waitFor(() => terminal.driver.observe()?.status === TerminalStatus.ACTIVE);
  });

  test.each(programs)(
    'after a logout nothing runs until the next login, which needs the password (%s)',
    async (_, isMt4) => {
      const terminal = await host.installTerminal({ isMt4 });
      expect(dataOf(await terminal.run(TaskType.ACCOUNT_LOGOUT))).toEqual({ connected: false });
      expect(terminal.driver.observe()?.status).toBe(TerminalStatus.STOPPED);
      expect([terminal.driver.shouldRun(), terminal.driver.isAlive()]).toEqual([false, false]);
      const config = join(host.toRoot(terminal, isMt4 ? 'mt4' : 'mt5'), 'config');
      expect(await exists(join(config, isMt4 ? 'accounts.ini' : 'accounts.dat'))).toBe(false);
      if (!isMt4) expect(await readSettings(terminal)).not.toMatch(/^Login=./m);
      for (const type of [TaskType.SCREENSHOT, TaskType.OPTIONS_WEB_REQUEST, TaskType.MARKET_WATCH_SHOW_ALL]) {
        expect(lastOf(await terminal.run(type, { url: 'https://a.example' })).code).toBe('E_NOT_RUNNING');
      }
      expect(lastOf(await terminal.run(TaskType.ACCOUNT_LOGIN)).code).toBe('E_AUTH');
      dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } }));
      expect(terminal.driver.shouldRun()).toBe(true);
      expect(terminal.driver.observe()?.status).toBe(TerminalStatus.ACTIVE);
    },
  );

  test.each(programs)(
    'a demo account is opened once, and only the secrets hold its password (%s)',
    async (_, isMt4) => {
      const terminal = await host.installTerminal({ isMt4 });
      const form = { server_name: 'Demo-Server', name: 'A B', email: 'a@b.example', balance: 500, currency: 'EUR' };
      const outcome = await terminal.run(TaskType.ACCOUNT_OPEN_DEMO, form);
      const { login } = dataOf(outcome) as { login: string };
      const password = outcome.secrets?.password ?? '';
      expect(password).not.toBe('');
      expect(JSON.stringify(outcome.steps)).not.toContain(password);
      dataOf(
        await terminal.run(TaskType.ACCOUNT_LOGIN, { login, server_name: 'Demo-Server' }, { secrets: { password } }),
      );
      const refused = await terminal.run(TaskType.ACCOUNT_OPEN_DEMO, { ...form, server_name: 'UnknownX' });
      expect(lastOf(refused).code).toBe('E_SERVER_UNKNOWN');
    },
  );
});

describe('options', () => {
  test('algo trading is switched live, and later starts keep it', async () => {
    const terminal = await host.installTerminal();
    const pid = await host.getPid(terminal);
    for (const allow_algo_trading of [1, 1, 0, 1]) {
      const outcome = await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading });
      expect(dataOf(outcome)).toMatchObject({ enabled: allow_algo_trading === 1, verified: true });
    }
    expect(await host.getPid(terminal)).toBe(pid);
    dataOf(await terminal.run(TaskType.ACCOUNT_LOGIN, {}, { secrets: { password: terminal.account.password } }));
    const lines = dataOf(await terminal.run(TaskType.EA_LOGS, { source: 'journal', contains: 'automated trading' }));
    expect((lines.lines as string[]).at(-1)).toContain('is enabled');
    await terminal.run(TaskType.ACCOUNT_LOGOUT);
    expect(dataOf(await terminal.run(TaskType.OPTIONS_AUTO_TRADE, { allow_algo_trading: 0 }))).toMatchObject({
      enabled: false,
      verified: true,
    });
  });

  test.each(programs)('web addresses are added once and taken off again (%s)', async (_, isMt4) => {
    const terminal = await host.installTerminal({ isMt4 });
    const change = async (url: string, remove = 0) =>
      dataOf(await terminal.run(TaskType.OPTIONS_WEB_REQUEST, { url, remove })).urls;
    expect(await change('https://a.example')).toEqual(['https://a.example']);
    expect(await change('https://B.example:8443/')).toEqual(['https://a.example', 'https://b.example:8443']);
    expect(await change('https://a.example')).toHaveLength(2);
    expect(await change('https://a.example', 1)).toEqual(['https://b.example:8443']);
  });

  test.each(programs)('all symbols are shown, with and without a chart (%s)', async (_, isMt4) => {
    const terminal = await host.installTerminal({ isMt4 });
    expect(dataOf(await terminal.run(TaskType.MARKET_WATCH_SHOW_ALL)).symbols).toBeGreaterThan(10);
    dataOf(await installExpert(terminal));
    expect(dataOf(await terminal.run(TaskType.MARKET_WATCH_SHOW_ALL)).symbols).toBeGreaterThan(10);
  });
});

test.each(programs)(
  'TERMINAL_DESTROY ends the process, frees the disk, and has nothing to do the second time (%s)',
  async (_, isMt4) => {
    const terminal = await host.installTerminal({ isMt4 });
    const pid = await host.getPid(terminal);
    expect(dataOf(await terminal.run(TaskType.TERMINAL_DESTROY)).freed_bytes).toBeGreaterThan(10_000);
    expect(await exists(join(host.folder, 'terminals', terminal.id))).toBe(false);
    expect(findProcessStat(pid)).toBeUndefined();
    expect([terminal.driver.shouldRun(), terminal.driver.observe()]).toEqual([false, undefined]);
    expect(dataOf(await terminal.run(TaskType.TERMINAL_DESTROY)).freed_bytes).toBe(0);
    expect(lastOf(await terminal.run(TaskType.EA_LOGS)).code).toBe('E_NOT_RUNNING');
  },
);
