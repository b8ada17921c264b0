import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { HostFacts, WineFacts } from './host-facts.ts';
import { findFirstProgram, runTool } from './tools.ts';

/**
 * Wine's loaders themselves, Debian's first, then WineHQ's. The script /usr/bin/wine before them sets variables that a
 * terminal may take for a debugger.
 */
const LOADERS_64 = [
  '/usr/lib/wine/wine64',
  '/opt/wine-stable/bin/wine64',
  '/opt/wine-stable/bin/wine',
  '/opt/wine-staging/bin/wine64',
  '/opt/wine-staging/bin/wine',
  '/opt/wine-devel/bin/wine64',
  '/opt/wine-devel/bin/wine',
];
const LOADERS_32 = [
  '/usr/lib/wine/wine',
  '/opt/wine-stable/lib/wine/i386-unix/wine',
  '/opt/wine-staging/lib/wine/i386-unix/wine',
  '/opt/wine-devel/lib/wine/i386-unix/wine',
];
/** Enough to know that letters can be drawn. */
const MAX_FONT_FOLDERS = 200;

/** What Wine there is. */
export const lookAtWine = async (): Promise<WineFacts> => {
  const loader = await findFirstProgram(LOADERS_64);
  const loader32 = await findFirstProgram(LOADERS_32);
  return {
    loader,
    versionText: loader === undefined ? undefined : await runTool(loader, ['--version']),
    has32Bit: loader32 !== undefined,
  };
};

/** How many files with letters the system has. */
export const countFonts = async (folder = '/usr/share/fonts'): Promise<number> => {
  const folders = [folder];
  let count = 0;
  for (let visited = 0; visited < MAX_FONT_FOLDERS; visited += 1) {
    const next = folders.pop();
    if (next === undefined) break;
    for (const entry of await readdir(next, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory()) folders.push(join(next, entry.name));
      else if (/\.(ttf|otf|ttc|pfb|t1|pcf(\.gz)?)$/i.test(entry.name)) count += 1;
    }
  }
  return count;
};

/** Whether the program that works a terminal's dialogs is there, and the one that its checksum names. */
export const lookAtWindowProgram = async (folder: string): Promise<HostFacts['windowProgram']> => {
  const path = join(folder, 'berth-window.exe');
  const content = await readFile(path).catch(() => undefined);
  const expected = await readFile(`${path}.sha256`, 'utf8').catch(() => undefined);
  if (!content || expected === undefined) return 'missing';
  return expected.startsWith(createHash('sha256').update(content).digest('hex')) ? 'fine' : 'changed';
};
