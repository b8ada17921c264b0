// @module-tag wine
/** The stand-in terminal under real Wine: what the tests of hosts rest on most. The slow tests have the rest of it. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  chart,
  desktop,
  find,
  Folder,
  loginFile,
  SERVER,
  toUtf16,
  useStandInDesktop,
} from './support/stand-in-folder.ts';

useStandInDesktop();

it('the stand-in terminal loads charts and experts, runs the helper script, and rewrites what it read at a clean stop', async () => {
  const folder = new Folder();
  const profile = 'MQL5/Profiles/Charts/Default';
  folder.write('MQL5/Experts/Grid.ex5', 'x');
  folder.write('MQL5/Scripts/ShowAllSymbols.ex5', 'x');
  folder.write(`${profile}/chart01.chr`, chart('EURUSD', 'Grid'));
  folder.write(`${profile}/chart02.chr`, chart('NOSUCH', 'Grid'));
  folder.write(`${profile}/order.wnd`, toUtf16('chart01.chr\nchart02.chr\n'));
  folder.faults('symbol_timeout_ms=500');
  const process = folder.start(folder.config(`${loginFile('5004')}[StartUp]\nScript=ShowAllSymbols\n`));
  await folder.waitFor('expert Grid (EURUSD,M15) loaded successfully');
  await folder.waitFor('initializing of Grid (NOSUCH,M15) failed with code 0 (symbol synchronization timeout)');
  await folder.waitFor('script ShowAllSymbols (EURUSD,M15) removed');
  await folder.waitFor('Grid (EURUSD,M15)\tinputs: Lots=0.10', 'MQL5/Logs');
  await folder.waitFor(/symbols=\d+/, 'MQL5/Logs');
  const children = await desktop.listControls((await folder.window()).handle);
  expect(children.filter(({ text }) => text === 'EURUSD,M15' || text === 'NOSUCH,M15')).toHaveLength(2);
  await desktop.get({ op: 'activate', control: find(children, ({ text }) => text === 'NOSUCH,M15').handle });
  await desktop.waitForWindow(({ title }) => title.endsWith('[NOSUCH,M15]'), 'the other chart in front');
  folder.write(`${profile}/chart01.chr`, 'edited while it runs');
  await folder.stop(process);
  await folder.waitFor('expert Grid (EURUSD,M15) removed');
  expect(folder.read(`${profile}/chart01.chr`)).toBe(chart('EURUSD', 'Grid').toString('utf16le', 2));
  expect(folder.read(`${profile}/chart02.chr`)).not.toContain('<expert>');
  expect(folder.read(`Bases/${SERVER}/symbols/selected-5004.dat`).split('\r\n').length).toBeGreaterThan(30);
});

it('the stand-in terminal has experts whose code fails, and who remove themselves, as it is told to', async () => {
  const error = "zero divide in 'Grid.mq5' (652,53)";
  for (const isRemoved of [false, true]) {
    const folder = new Folder();
    folder.write('MQL5/Experts/Grid.ex5', 'x');
    folder.write('MQL5/Profiles/Charts/Default/chart01.chr', chart('EURUSD', 'Grid'));
    folder.write('MQL5/Profiles/Charts/Default/order.wnd', toUtf16('chart01.chr\n'));
    const removal = isRemoved ? '\r\nexpert_removed_after_ms=100' : '';
    folder.faults(`expert_line=${error}\r\nexpert_line_level=2\r\nexpert_fails=1${removal}`);
    const process = folder.start(folder.config(loginFile('5005')));
    expect(await folder.waitFor(error, 'MQL5/Logs')).toMatch(/^..\t2\t[\d:.]+\tGrid \(EURUSD,M15\)\t/);
    if (isRemoved) await folder.waitFor('expert Grid (EURUSD,M15) removed');
    else expect(folder.lines().filter((line) => line.includes('removed'))).toEqual([]);
    await folder.stop(process);
  }
});

it('the stand-in terminal writes nothing when it is killed, and runs once per folder only', async () => {
  const folder = new Folder();
  folder.faults('switch_line=1');
  const process = folder.start();
  await folder.window();
  await folder.waitFor('automated trading is disabled');
  const lines = folder.lines().length;
  expect(await folder.start().ended).toEqual({ code: 0, signal: null });
  expect(folder.lines()).toHaveLength(lines);
  process.kill('SIGKILL');
  await process.ended;
  expect(existsSync(join(folder.path, 'config/common.ini'))).toBe(false);
});

it('as MetaTrader 4, the stand-in terminal takes a flat start file as its first argument, and has its own texts, charts and files', async () => {
  const folder = new Folder({ isMt4: true });
  folder.write('MQL4/Experts/Grid.ex4', 'x');
  folder.write(
    'profiles/default/chart01.chr',
    Buffer.from(
      '<chart>\r\nsymbol=EURUSD\r\nperiod=15\r\n<window>\r\n</window>\r\n<expert>\r\nname=Grid\r\nflags=343\r\nwindow_num=0\r\n<inputs>\r\na=1\r\nb=2\r\nc=Größe\r\n</inputs>\r\n</expert>\r\n</chart>\r\n',
      'latin1',
    ),
  );
  folder.write('profiles/default/order.wnd', 'chart01.chr\r\n');
  const process = folder.start(folder.config(`Login=6001\nPassword=trade-me\nServer=${SERVER}\nExpertsEnable=true\n`));
  const line = await folder.waitFor(`'6001': login on ${SERVER} through `);
  expect(line).toMatch(/^0\t\d\d:\d\d:\d\d\.\d{3}\t'6001': login on .* \(ping: [\d.]+ ms\)$/);
  await folder.waitFor('Expert Grid EURUSD,M15: loaded successfully');
  await folder.waitFor('Grid EURUSD,M15 inputs: a=1; b=2; c=Gr', 'MQL4/Logs');
  await folder.waitFor('Grid EURUSD,M15: initialized', 'MQL4/Logs');
  expect((await folder.window()).title).toContain('simulated MetaTrader 4');
  await folder.stop(process);
  expect(folder.lines()[0]).toMatch(/^0\t[\d:.]+\tBerth stand-in MT4 build 1440 started \(Berth\)$/);
  expect(folder.lines().at(-1)).toContain('build 1440 stopped');
  expect(folder.lines().join('\n')).not.toMatch(/automated trading/i);
  expect(folder.read('config/terminal.ini')).toContain('[CodeBasesList]\r\nExperts=1\r\n');
  expect(existsSync(join(folder.path, 'config/accounts.ini'))).toBe(true);
  await folder.waitFor('Grid EURUSD,M15: uninit reason 9', 'MQL4/Logs');
  expect(folder.read('profiles/default/chart01.chr')).toContain('period=15\r\n');
  const saved = readFileSync(join(folder.path, 'profiles/default/chart01.chr'));
  expect(saved.includes(Buffer.from('\r\nc=Größe\r\n', 'latin1'))).toBe(true);
});
