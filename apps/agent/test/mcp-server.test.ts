/** The terminal's built-in MCP server can trade: each start finds it closed, whatever the terminal or its user wrote meanwhile. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { decodeText, encodeText } from '../src/platforms/metatrader/files/text-file.ts';
import { toClosedAssistant } from '../src/platforms/metatrader/files/assistant-file.ts';
import { useSandboxHost } from './support/sandbox-host.ts';

const host = useSandboxHost();

test('it is closed at the first start, and again at each later one', async () => {
  const terminal = await host.createTerminal();
  await terminal.install();
  const path = join(host.toRoot(terminal), 'config/assistant.ini');
  const read = async (): Promise<string> => decodeText(await readFile(path)).text;
  expect(await read()).toContain('[MCP.MetaTrader]\r\nEnable=0');
  const text = '[MCP.MetaTrader]\r\nEnable=1\r\nApiKey=0123\r\n[Provider]\r\nApiKey=mine\r\n';
  await writeFile(path, encodeText({ text, encoding: 'utf16le' }));
  await terminal.driver.stop();
  await terminal.driver.restart();
  expect(await read()).toBe(
    '[MCP.MetaTrader]\r\nEnable=0\r\n[Provider]\r\nApiKey=mine\r\n[MCP.MetaEditor]\r\nEnable=0\r\n',
  );
});

test('MetaTrader 4 has none', async () => {
  const terminal = await host.createTerminal({ isMt4: true });
  await terminal.install();
  await expect(readFile(join(host.toRoot(terminal, 'mt4'), 'config/assistant.ini'))).rejects.toThrow('ENOENT');
});

test.each([
  ['nothing', ''],
  ['lines that nobody knows', '??\r\n[MCP.MetaTrader]\r\nMode=2\r\n'],
  ['a server of another name', '[MCP.Other]\r\nEnable=1\r\nApiKey=1\r\n'],
  ['a key twice', '[MCP.MetaTrader]\r\nApiKey=1\r\napikey=2\r\nEnable=true\r\n'],
])('no MCP server is left open (%s), and closing twice changes nothing more', (_, text) => {
  const closed = toClosedAssistant(text, { keepsOthers: true });
  expect(closed).not.toMatch(/apikey/i);
  expect(closed.match(/^Enable=(.*)$/gim)?.every((line) => line.trim() === 'Enable=0')).toBe(true);
  expect(toClosedAssistant(closed, { keepsOthers: true })).toBe(closed);
});
