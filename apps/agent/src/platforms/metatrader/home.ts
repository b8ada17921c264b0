import { join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import type { Box, Launcher } from '../../launchers/launcher.ts';
import type { Edition } from './edition.ts';
import { findCodePage, type CodePage } from './code-page.ts';
import { Options } from './files/options.ts';
import { Profile } from './files/profile.ts';
import { withCodePage, type JournalFolder } from './journal/journal-form.ts';

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
  /** The code page of the terminal's 8-bit files; undefined where it has none, or it is unknown. */
  findCodePage: () => Promise<CodePage | undefined>;
  /** The start file in the box's home, and its path for the terminal. */
  startFile: { name: string; insidePath: string };
}

const START_FILE = 'berth.ini';

/** Does not touch the host. */
export const toTerminalHome = (
  box: Box,
  { folderName, dialect }: Pick<Edition, 'folderName' | 'dialect'>,
  launcher: Pick<Launcher, 'findCodePage'>,
): TerminalHome => {
  const { folder, home } = box;
  const root = join(home, folderName);
  const files = new ConfinedFiles({ anchor: folder, home, root });
  // It stays what it is, also unknown, once there is a terminal.
  let codePage: number | null | undefined;
  const findOwnCodePage = async (): Promise<CodePage | undefined> => {
    if (!dialect.charts.isUnicode && codePage === undefined) codePage = await launcher.findCodePage?.(box);
    return findCodePage(codePage ?? undefined);
  };
  return {
    folder,
    root,
    files,
    options: new Options(files, dialect.options),
    profile: new Profile(files, dialect.profiles, dialect.charts, findOwnCodePage),
    findCodePage: findOwnCodePage,
    drive: new ConfinedFiles({ anchor: folder, home, root: home }),
    startFile: { name: START_FILE, insidePath: box.toInside(join(home, START_FILE)) },
  };
};

/** Opens the folder of the terminal's journal, created if missing. The caller closes it. */
export const holdJournal = async (
  { files, findCodePage: findOwn }: TerminalHome,
  { dialect }: Pick<Edition, 'dialect'>,
): Promise<JournalFolder> => ({
  form: withCodePage(dialect.journal, await findOwn()),
  folder: await files.ensureFolder(dialect.layout.journal),
});

/** The same for the log of EAs: its events are the errors that end them. */
export const holdExpertsLog = async (
  { files, findCodePage: findOwn }: TerminalHome,
  { dialect }: Pick<Edition, 'dialect'>,
): Promise<JournalFolder> => ({
  form: {
    ...withCodePage(dialect.journal, await findOwn()),
    findEvent: (line) => dialect.journal.findExpertEvent(line),
  },
  folder: await files.ensureFolder(dialect.layout.expertsLog),
});
