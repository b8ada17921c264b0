import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readMt4Journal, waitForLine, sandbox, root, useTerminal } from './sandbox.ts';

useTerminal(['/mt4']);

const chart = [
  '<chart>',
  'symbol=EURUSD',
  'period=15',
  '<window>',
  'height=100',
  '</window>',
  '<expert>',
  'name=Rider',
  'flags=343',
  'window_num=0',
  '<inputs>',
  'Lots=0.1',
  'Magic=7',
  '</inputs>',
  '</expert>',
  '</chart>',
  '',
].join('\r\n');

const start = (text = 'Login=1001\r\nPassword=right-horse\r\nServer=Old-Server\r\nExpertsEnable=true\r\n') => {
  writeFileSync(join(root, 'config/start.ini'), text);
  return sandbox.startTerminal(root, { args: ['config\\start.ini'], faults: { switch_line: true } });
};

const waitForMt4Line = (text: string): Promise<unknown> => waitForLine(root, text, readMt4Journal);

test('the journal has three columns of 8-bit text and the texts of MetaTrader 4', async () => {
  const terminal = start();
  await waitForMt4Line("'1001': login on Old-Server through Access Point 1 (ping: ");
  await terminal.stop();
  const lines = readMt4Journal(root);
  expect(lines.filter((line) => !/^[012]\t\d\d:\d\d:\d\d\.\d{3}\t[^\t]+$/.test(line))).toEqual([]);
  expect(lines.join('\n')).toContain('automated trading is enabled');
  expect(existsSync(join(root, 'config/accounts.ini'))).toBe(true);
  expect(readFileSync(join(root, 'config/terminal.ini'), 'utf8')).toContain('[Sandbox]\r\n');
});

test('an expert is loaded, printed and removed in the words of MetaTrader 4, and its chart stays 8-bit', async () => {
  writeFileSync(join(root, 'MQL4/Experts/Rider.ex4'), 'EX4');
  const path = join(root, 'profiles/default/chart01.chr');
  writeFileSync(path, chart);
  writeFileSync(join(root, 'profiles/default/order.wnd'), 'chart01.chr\r\n');
  const terminal = start();
  await waitForMt4Line('Expert Rider EURUSD,M15: loaded successfully');
  await waitForMt4Line("'1001': login on");
  await terminal.stop();
  expect(readMt4Journal(root).join('\n')).toContain('Expert Rider EURUSD,M15: removed');
  expect(readFileSync(path, 'utf8')).toContain('period=15\r\n');
  const experts = readFileSync(join(root, 'MQL4/Logs', readMt4LogName()), 'utf8');
  expect(experts).toContain('\tRider EURUSD,M15 inputs: Lots=0.1; Magic=7; \r\n');
  expect(experts).toContain('\tRider EURUSD,M15: initialized\r\n');
  expect(experts).toContain('\tRider EURUSD,M15: uninit reason 9\r\n');
});

const readMt4LogName = (): string => {
  const now = new Date();
  const pad = (value: number): string => String(value).padStart(2, '0');
  return `${now.getFullYear()}${pad(now.getMonth() + 1)}${pad(now.getDate())}.log`;
};

test('no connection and a wrong password have the words of MetaTrader 4', async () => {
  const lost = start('Login=5\r\nPassword=p\r\nServer=Unreachable\r\n');
  await waitForMt4Line("'5': connect failed [No connection]");
  await lost.stop();
  const first = start();
  await waitForMt4Line("'1001': login on");
  await first.stop();
  start('Login=1001\r\nPassword=wrong\r\nServer=Old-Server\r\n');
  await waitForMt4Line("'1001': connect failed [Invalid account]");
});
