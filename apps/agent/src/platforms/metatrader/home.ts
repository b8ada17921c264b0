import { join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import type { Box } from '../../launchers/launcher.ts';
import type { Edition } from './edition.ts';
import { Options } from './files/options.ts';
import { Profile } from './files/profile.ts';
import type { JournalFolder } from './journal/journal-form.ts';

/** The folders of one terminal on the host. */
export interface TerminalHome {
  /** Everything of this terminal; removing it removes the terminal. */
  folder: string;
  /**
   * The terminal's installation, which is also its data folder. Its path is for people: use `files` to access its
   * content.
   */
  root: string;
  /** The files of the installation, and of the box's home around it. Programs in the box may own and change them. */
  files: ConfinedFiles;
  drive: ConfinedFiles;
  options: Options;
  profile: Profile;
  /** The start file in the box's home, and its path for the terminal. */
  startFile: { name: string; insidePath: string };
}

const START_FILE = 'berth.ini';

/** Pure. */
export const toTerminalHome = (
  box: Box,
  { folderName, dialect }: Pick<Edition, 'folderName' | 'dialect'>,
): TerminalHome => {
  const { folder, home } = box;
  const root = join(home, folderName);
  const files = new ConfinedFiles({ anchor: folder, home, root });
  return {
    folder,
    root,
    files,
    options: new Options(files, dialect.options),
    profile: new Profile(files, dialect.profiles, dialect.charts),
    drive: new ConfinedFiles({ anchor: folder, home, root: home }),
    startFile: { name: START_FILE, insidePath: box.toInside(join(home, START_FILE)) },
  };
};

/** Opens the folder of the terminal's journal, created if missing. The caller closes it. */
export const holdJournal = async (
  { files }: TerminalHome,
  { dialect }: Pick<Edition, 'dialect'>,
): Promise<JournalFolder> => ({
  folder: await files.ensureFolder(dialect.layout.journal),
  form: dialect.journal,
});

/** The same for the log of EAs. */
export const holdExpertsLog = async (
  { files }: TerminalHome,
  { dialect }: Pick<Edition, 'dialect'>,
): Promise<JournalFolder> => ({
  folder: await files.ensureFolder(dialect.layout.expertsLog),
  form: dialect.journal,
});
