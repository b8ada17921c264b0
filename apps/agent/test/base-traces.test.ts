/** What a base must not keep: each trace of the account and of the machine that it was made with. */
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { removeTraces } from '../src/commands/prepare-base/remove-traces.ts';
import { decodeText, encodeText } from '../src/platforms/metatrader/files/text-file.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
let root: string;
useFolder((created) => {
  folder = created;
  root = join(folder, 'drive_c/mt5');
  mkdirSync(root, { recursive: true });
});

const put = (file: string, text: string, encoding: 'utf16le' | 'utf8' = 'utf16le'): void => {
  mkdirSync(dirname(join(root, file)), { recursive: true });
  writeFileSync(join(root, file), encodeText({ text, encoding }));
};
const read = (file: string): string => decodeText(readFileSync(join(root, file))).text;
const clear = (platform: 'mt5' | 'mt4' = 'mt5'): Promise<void> =>
  removeTraces({ platform, folder, home: join(folder, 'drive_c'), root });

test.each([
  'config/accounts.dat',
  'Config/ACCOUNTS.DAT',
  'config/accounts.ini',
  'logs/20260101.log',
  'Logs/20260101.log',
  'MQL5/Logs/20260101.log',
  'MQL4/Logs/20260101.log',
  'Tester/logs/20260101.log',
  'llm-agent/state/sessions.db',
])('%s is removed', async (file) => {
  put(file, 'a trace');
  put('MQL5/Experts/Mine.ex5', 'kept');
  await clear();
  expect(existsSync(join(root, file))).toBe(false);
  expect(existsSync(join(root, 'MQL5/Experts/Mine.ex5'))).toBe(true);
});

test.each(['config/common.ini', 'Config/Common.ini', 'startup.ini', 'config/start.ini'])(
  'the account is taken out of %s, and every other line stays',
  async (file) => {
    put(
      file,
      '[Common]\r\nLogin=80001234\r\nPassword=hunter22\r\nServer=Harbour-Live\r\nProxyEnable=0\r\n[Mail]\r\nLogin=me\r\n',
    );
    await clear();
    expect(read(file)).toBe('[Common]\r\nProxyEnable=0\r\n[Mail]\r\nLogin=me\r\n');
  },
);

test('the account is taken out of a start file without sections too', async () => {
  put('start.ini', 'Login=80001234\r\nPassword=hunter22\r\nServer=Harbour-Live\r\nExpertsEnable=true\r\n', 'utf8');
  await clear();
  expect(read('start.ini')).toBe('ExpertsEnable=true\r\n');
});

test('the built-in MCP server is closed, and no key is kept: neither its own nor that of a provider', async () => {
  put(
    'Config/assistant.ini',
    '[MCP.MetaEditor]\r\nEnable=1\r\nEndpoint=http://127.0.0.1:22345/mcp\r\nApiKey=0011\r\n' +
      '[MCP.MetaTrader]\r\nEnable=1\r\nEndpoint=http://127.0.0.1:22346/mcp\r\nApiKey=2233\r\n' +
      '[Provider]\r\nModel=some\r\nApiKey=sk-4455\r\n',
  );
  await clear();
  expect(read('Config/assistant.ini')).toBe(
    '[MCP.MetaEditor]\r\nEnable=0\r\nEndpoint=http://127.0.0.1:22345/mcp\r\n' +
      '[MCP.MetaTrader]\r\nEnable=0\r\nEndpoint=http://127.0.0.1:22346/mcp\r\n' +
      '[Provider]\r\nModel=some\r\n',
  );
});

test('the built-in MCP server is closed where the terminal has not yet written its file', async () => {
  put('config/common.ini', '[Common]\r\n');
  await clear();
  expect(read('config/assistant.ini')).toMatch(/^\[MCP\.MetaTrader\]\r?\nEnable=0/m);
});

test('MetaTrader 4 has no such server, and gets no such file', async () => {
  root = join(folder, 'drive_c/mt4');
  put('config/terminal.ini', '[Window]\r\n', 'utf8');
  await clear('mt4');
  expect(existsSync(join(root, 'config/assistant.ini'))).toBe(false);
});

test('links are not followed', async () => {
  const outside = join(folder, 'outside.ini');
  writeFileSync(outside, '[Common]\r\nLogin=1\r\n');
  mkdirSync(join(root, 'config'));
  symlinkSync(outside, join(root, 'config/common.ini'));
  await clear();
  expect(readFileSync(outside, 'utf8')).toContain('Login=1');
  expect(existsSync(join(root, 'config/common.ini'))).toBe(false);
});
