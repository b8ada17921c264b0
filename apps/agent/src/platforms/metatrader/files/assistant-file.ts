/**
 * `config/assistant.ini` of MetaTrader 5, since builds of 2026: the terminal and its editor each run an MCP server on
 * 127.0.0.1, which can trade and is open unless this file says otherwise. Copies of one base would share its key.
 */
import type { ConfinedFiles } from '@berth/kit';
import { IniText } from './ini.ts';
import { encodeText, findText, TERMINAL_FILE } from './text-file.ts';

export const ASSISTANT_FILE = 'config/assistant.ini';

const SERVERS = ['MCP.MetaTrader', 'MCP.MetaEditor'];
const KEY = 'ApiKey';

const isServer = (section: string): boolean => /^mcp\b/i.test(section);

/** The file with every server closed and without a key. @param keepsOthers also the keys of AI providers. Pure. */
export const toClosedAssistant = (text: string, { keepsOthers }: { keepsOthers: boolean }): string => {
  const ini = new IniText(text);
  const sections = ini.listSections();
  const servers = [...SERVERS, ...sections.filter(isServer)];
  for (const section of servers) ini.set(section, 'Enable', 0);
  const known = keepsOthers ? servers : [...servers, ...sections];
  for (const section of known) while (ini.get(section, KEY) !== undefined) ini.remove(section, KEY);
  return ini.toString();
};

/** Closes the servers for the next start, whether or not the file exists. The terminal is stopped. */
export const closeMcpServer = async (files: ConfinedFiles, how: { keepsOthers: boolean }): Promise<void> => {
  const content = (await findText(files, ASSISTANT_FILE)) ?? { text: '', encoding: 'utf16le' as const };
  const text = toClosedAssistant(content.text, how);
  if (text !== content.text) await files.replaceFile(ASSISTANT_FILE, encodeText({ ...content, text }), TERMINAL_FILE);
};

/** Whether a start would open the server: a terminal without the file, or without the line, opens it. */
export const isMcpServerOpen = async (files: ConfinedFiles): Promise<boolean> => {
  const content = await findText(files, ASSISTANT_FILE);
  return new IniText(content?.text ?? '').get('MCP.MetaTrader', 'Enable') !== '0';
};
