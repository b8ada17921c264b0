import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readUtf16, sandbox, useSandbox } from './sandbox.ts';

useSandbox();

test('the installer makes the folders of a fresh terminal with an empty profile', () => {
  const root = sandbox.install();
  for (const folder of ['Experts', 'Scripts', 'Presets', 'Files', 'Logs', 'Profiles/Templates']) {
    expect(existsSync(join(root, 'MQL5', folder))).toBe(true);
  }
  expect(readFileSync(join(root, 'terminal64.exe'), 'utf8')).toContain('Berth sandbox');
  expect(existsSync(join(root, 'config/servers.dat'))).toBe(true);
  const order = readFileSync(join(root, 'MQL5/Profiles/Charts/Default/order.wnd'));
  expect([...order]).toEqual([0xff, 0xfe]);
});

test('/mt4 makes the folders of MetaTrader 4', () => {
  const root = sandbox.install('t', '/mt4');
  expect(existsSync(join(root, 'terminal.exe'))).toBe(true);
  expect(existsSync(join(root, 'terminal64.exe'))).toBe(false);
  expect(existsSync(join(root, 'MQL4/Experts'))).toBe(true);
});

test('a second installation keeps the charts', () => {
  const root = sandbox.install();
  const order = join(root, 'MQL5/Profiles/Charts/Default/order.wnd');
  writeFileSync(order, Buffer.from('\ufeffchart01.chr\r\n', 'utf16le'));
  sandbox.install();
  expect(readUtf16(order)).toBe('chart01.chr\r\n');
});
