import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  addChart,
  addExpert,
  profileFolder,
  readExpertsJournal,
  readJournal,
  readUtf16,
  toChartText,
  waitForLine,
  writeUtf16,
  sandbox,
  root,
  useTerminal,
} from './sandbox.ts';

useTerminal();

const journalText = (): string => readJournal(root).join('\n');

test('the expert of a chart is loaded, prints its inputs and is removed at the end', async () => {
  addExpert(root, 'Rider');
  addChart(root, 'chart01.chr', toChartText('EURUSD', 'Rider'));
  const terminal = await sandbox.login(root);
  await waitForLine(root, 'expert Rider (EURUSD,M15) loaded successfully');
  await waitForLine(root, '\tRider (EURUSD,M15)\tinputs: Lots=0.10', readExpertsJournal);
  await terminal.stop();
  expect(readJournal(root).at(-2)).toContain('expert Rider (EURUSD,M15) removed');
  expect(readJournal(root).at(-1)).toContain('shutdown with 0');
});

test('a missing program leaves no line', async () => {
  addChart(root, 'chart01.chr', toChartText('EURUSD', 'Ghost'));
  await (await sandbox.login(root)).stop();
  expect(journalText()).not.toContain('Ghost');
});

test('a symbol that the server lacks fails its expert after the timeout and takes it off the chart', async () => {
  addExpert(root, 'Rider');
  addChart(root, 'chart01.chr', toChartText('EURUSD.zz', 'Rider'));
  const terminal = await sandbox.login(root, {}, { faults: { symbol_timeout_ms: 50 } });
  await waitForLine(root, 'expert Rider (EURUSD.zz,M15) removed');
  expect(journalText()).toContain(
    'initializing of Rider (EURUSD.zz,M15) failed with code 0 (symbol synchronization timeout)',
  );
  await terminal.stop();
  expect(readUtf16(join(profileFolder(root), 'chart01.chr'))).not.toContain('<expert>');
});

test('a clean stop rewrites every chart as UTF-16 with what was in memory, its unknown lines included', async () => {
  const path = join(profileFolder(root), 'chart01.chr');
  addChart(root, 'chart01.chr', toChartText('EURUSD'));
  writeFileSync(path, toChartText('EURUSD').replace('<window>', 'mode=7\n<object>\nkind=line\n</object>\n<window>'));
  const terminal = await sandbox.login(root);
  writeUtf16(path, toChartText('GBPUSD'));
  await terminal.stop();
  const text = readUtf16(path);
  expect(text).toMatch(/^<chart>\r\nsymbol=EURUSD\r\n/);
  expect(text).toContain('mode=7\r\n');
  expect(text).toContain('<object>\r\nkind=line\r\n</object>\r\n<window>');
  expect(text).toMatch(/\r\nid=\d+\r\n/);
});

test('a kill leaves the charts as they were on disk', async () => {
  const path = join(profileFolder(root), 'chart01.chr');
  addChart(root, 'chart01.chr', toChartText('EURUSD'));
  const terminal = await sandbox.login(root);
  writeUtf16(path, 'edited');
  await terminal.kill();
  expect(readUtf16(path)).toBe('edited');
  expect(journalText()).not.toContain('shutdown');
});

test('only the charts that order.wnd names are opened', async () => {
  addExpert(root, 'Rider');
  addChart(root, 'chart01.chr', toChartText('EURUSD'));
  writeUtf16(join(profileFolder(root), 'chart02.chr'), toChartText('EURUSD', 'Rider'));
  await (await sandbox.login(root)).stop();
  expect(journalText()).not.toContain('Rider');
});

test('StartUp with a symbol opens an extra chart, with the preset, that is not saved', async () => {
  addExpert(root, 'Rider');
  writeUtf16(join(root, 'MQL5/Presets/fast.set'), '; fast\r\nLots=0.5||0.1||0.1||1||N\r\nName=abc\r\n');
  const startUp = 'Expert=Rider\r\nSymbol=GBPUSD\r\nPeriod=H4\r\nExpertParameters=fast.set';
  const terminal = await sandbox.login(root, { startUp });
  await waitForLine(root, 'expert Rider (GBPUSD,H4) loaded successfully');
  await waitForLine(root, 'inputs: Lots=0.5; Name=abc', readExpertsJournal);
  await terminal.stop();
  expect(readdirSync(profileFolder(root))).toEqual(['order.wnd']);
});

test('StartUp without a symbol uses the first chart, and without a chart starts nothing', async () => {
  addExpert(root, 'Rider');
  await (await sandbox.login(root, { startUp: 'Expert=Rider' })).stop();
  expect(journalText()).not.toContain('Rider');
  addChart(root, 'chart01.chr', toChartText('USDJPY'));
  const terminal = await sandbox.login(root, { startUp: 'Expert=Rider' });
  await waitForLine(root, 'expert Rider (USDJPY,M15) loaded successfully');
  await terminal.stop();
  expect(readUtf16(join(profileFolder(root), 'chart01.chr'))).toContain('path=Experts\\Rider.ex5');
});

test('StartUp takes the expert of a template', async () => {
  addExpert(root, 'Rider');
  writeUtf16(join(root, 'MQL5/Profiles/Templates/own.tpl'), toChartText('IGNORED', 'Rider'));
  await sandbox.login(root, { startUp: 'Symbol=XAUUSD\r\nPeriod=D1\r\nTemplate=own.tpl' });
  await waitForLine(root, 'expert Rider (XAUUSD,D1) loaded successfully');
});

test('a path that leaves the folder loads nothing', async () => {
  writeFileSync(join(sandbox.driveC, 'Evil.ex5'), 'EX5');
  addChart(root, 'chart01.chr', toChartText('EURUSD', 'x').replace('Experts\\x.ex5', '..\\..\\Evil.ex5'));
  await (await sandbox.login(root)).stop();
  expect(journalText()).not.toContain('loaded successfully');
});

const script = { startUp: 'Script=ShowAllSymbols\r\nSymbol=EURUSD\r\nPeriod=M1\r\nShutdownTerminal=1' };

test('the helper script shows all symbols, says how many, and the terminal closes after it', async () => {
  writeFileSync(join(root, 'MQL5/Scripts/ShowAllSymbols.ex5'), 'EX5');
  const terminal = await sandbox.login(root, script);
  expect(await terminal.exit).toEqual({ code: 0, signal: null });
  expect(journalText()).toContain('script ShowAllSymbols (EURUSD,M1) loaded successfully');
  expect(journalText()).toContain('script ShowAllSymbols (EURUSD,M1) removed');
  const count = /symbols=(\d+)/.exec(readExpertsJournal(root).join('\n'))?.[1];
  expect(Number(count)).toBeGreaterThan(30);
  const saved = readFileSync(join(root, 'Bases/Test-Server/symbols/selected-1001.dat'), 'utf8').trim().split('\r\n');
  expect(saved).toHaveLength(Number(count));
});

test('the script waits for a login that comes late', async () => {
  writeFileSync(join(root, 'MQL5/Scripts/ShowAllSymbols.ex5'), 'EX5');
  rmSync(sandbox.networkFile);
  const text = `[Common]\r\nLogin=1\r\nPassword=p\r\nServer=S\r\n[StartUp]\r\n${script.startUp}\r\n`;
  const terminal = sandbox.startTerminal(root, { args: [sandbox.writeStartFile(text)] });
  await waitForLine(root, 'no connection to S');
  expect(journalText()).toContain('script ShowAllSymbols (EURUSD,M1) loaded successfully');
  await sandbox.startServer();
  expect((await terminal.exit).code).toBe(0);
  expect(readExpertsJournal(root).join('\n')).toContain('symbols=');
});
