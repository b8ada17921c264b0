import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findWinePrograms } from '../../launchers/wine/wine-programs.ts';
import type { HostFacts, WineFacts } from './host-facts.ts';
import { findToolOutput } from './tools.ts';

/** Enough to know that text can be drawn. */
const MAX_FONT_FOLDERS = 200;

/** The installed Wine. @param folder where it is, if configured */
export const lookAtWine = async (folder: string | undefined): Promise<WineFacts> => {
  const programs = await findWinePrograms(folder);
  if (!programs) return { loader: undefined, versionText: undefined, has32Bit: false };
  const { loader64, loader32 } = programs;
  return {
    loader: loader64,
    versionText: await findToolOutput(loader64, ['--version']),
    has32Bit: loader32 !== undefined,
  };
};

/** How many font files the system has. */
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

/** Whether the program that operates a terminal's dialogs exists, and matches its checksum. */
export const lookAtWindowProgram = async (folder: string): Promise<HostFacts['windowProgram']> => {
  const path = join(folder, 'berth-window.exe');
  const content = await readFile(path).catch(() => undefined);
  const expected = await readFile(`${path}.sha256`, 'utf8').catch(() => undefined);
  if (!content || expected === undefined) return 'missing';
  return expected.startsWith(createHash('sha256').update(content).digest('hex')) ? 'fine' : 'changed';
};
