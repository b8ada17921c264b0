/**
 * Removes what belongs to a single terminal: accounts, journals, keys. Nothing runs in the box; what ran may have left
 * anything.
 */
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ConfinedFiles, UnsafeFileError } from '@berth/kit';
import { terminalPlaces, type BasedPlatform } from '../../bases/places.ts';
import { removeTree } from '../../launchers/wine/host-tools.ts';
import { ASSISTANT_FILE, closeMcpServer } from '../../platforms/metatrader/files/assistant-file.ts';
import { IniText } from '../../platforms/metatrader/files/ini.ts';
import { encodeText, findText, TERMINAL_FILE } from '../../platforms/metatrader/files/text-file.ts';

export interface BaseFiles {
  platform: BasedPlatform;
  /** Of the draft. */
  folder: string;
  /** Drive C. */
  home: string;
  /** The installation. */
  root: string;
}

/** In start files and settings: with a section, and in MetaTrader 4's start files without. */
const ACCOUNT_SECTIONS = ['Common', ''];
const ACCOUNT_KEYS = ['Login', 'Password', 'Server'];

const accountsFiles = Object.values(terminalPlaces).map(({ accountsFile }) => accountsFile);
/** Below the installation: journals, and the assistant's chat history. */
const FOLDERS = [['logs'], ['mql5', 'logs'], ['mql4', 'logs'], ['tester', 'logs'], ['llm-agent']];
const FILES = accountsFiles.map((name) => ['config', name]);

/** The paths with these names, ignoring case; links are not followed. */
const listNamed = async (folder: string, [name, ...rest]: readonly string[]): Promise<string[]> => {
  if (!(await lstat(folder).catch(() => undefined))?.isDirectory()) return [];
  const found = (await readdir(folder))
    .filter((entry) => entry.toLowerCase() === name)
    .map((each) => join(folder, each));
  if (rest.length === 0) return found;
  return (await Promise.all(found.map((each) => listNamed(each, rest)))).flat();
};

/** Edits a text file of the base. Anything but a plain file, such as a link, is not a settings file: it is removed. */
const withPlainFile = async (files: ConfinedFiles, path: string, act: () => Promise<void>): Promise<void> => {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof UnsafeFileError)) throw error;
    await files.removeFile(path);
    await act();
  }
};

const takeAccountOut = async (files: ConfinedFiles, path: string): Promise<void> => {
  const content = await findText(files, path);
  if (!content) return;
  const ini = new IniText(content.text);
  for (const section of ACCOUNT_SECTIONS) {
    for (const key of ACCOUNT_KEYS) while (ini.get(section, key) !== undefined) ini.remove(section, key);
  }
  const text = ini.toString();
  if (text !== content.text) await files.replaceFile(path, encodeText({ ...content, text }), TERMINAL_FILE);
};

const listIniFiles = async (files: ConfinedFiles, folder: string): Promise<string[]> => {
  const held = await files.findFolder(folder);
  if (!held) return [];
  try {
    const { names } = await held.listNames();
    return names.filter((name) => /\.ini$/i.test(name)).map((name) => (folder === '' ? name : `${folder}/${name}`));
  } finally {
    await held.close();
  }
};

/** Removes every trace of an account, and closes the terminal's MCP server. */
export const removeTraces = async ({ platform, folder, home, root }: BaseFiles): Promise<void> => {
  for (const parts of [...FOLDERS, ...FILES]) {
    for (const path of await listNamed(root, parts)) await removeTree(path);
  }
  const files = new ConfinedFiles({ anchor: folder, home, root });
  for (const path of [...(await listIniFiles(files, '')), ...(await listIniFiles(files, 'config'))]) {
    await withPlainFile(files, path, () => takeAccountOut(files, path));
  }
  if (platform === 'mt4') return;
  await withPlainFile(files, ASSISTANT_FILE, () => closeMcpServer(files, { keepsOthers: false }));
};
