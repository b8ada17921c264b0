import { LauncherError } from '../launcher.ts';

/**
 * Paths that MetaTrader is known to accept everywhere: a drive, and plain names. If the path contains a space, some
 * versions do not find a start file, however it is quoted.
 */
const PLAIN = /^[A-Za-z]:(\\[A-Za-z0-9._+()@~#-]+)+$/;
/**
 * The longest folder of a terminal: most programs support 259 characters, and a terminal's own files need some of them.
 */
const MAX_FOLDER_LENGTH = 120;
/** Names that mean devices in every folder. */
const DEVICE = /(^|\\)(con|prn|aux|nul|com\d|lpt\d)(\.[^\\]*)?(\\|$)/i;

/** Why a Windows folder cannot hold terminals; undefined where it can. */
export const findFolderMistake = (folder: string): string | undefined => {
  if (!PLAIN.test(folder) || /[. ](\\|$)/.test(folder) || DEVICE.test(folder)) {
    return (
      `Terminals cannot live in ${folder}: their programs need a path on a drive, of letters, digits and dashes, without ` +
      'spaces. Set BERTH_AGENT_DIR to one such as C:\\berth\\agent.'
    );
  }
  return folder.length > MAX_FOLDER_LENGTH
    ? `${folder} is too long for the programs that run in it. Set BERTH_AGENT_DIR to a shorter one, such as C:\\berth\\agent.`
    : undefined;
};

/** Throws a LauncherError (`missing`) for a folder that cannot hold terminals. */
export const assertTerminalFolder = (folder: string): void => {
  const mistake = findFolderMistake(folder);
  if (mistake !== undefined) throw new LauncherError('missing', mistake);
};

/** Windows paths are case-insensitive. */
export const isSamePath = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/** Whether a path lies below a folder; the folder itself does not. */
export const isBelow = (path: string, folder: string): boolean =>
  path.toLowerCase().startsWith(`${folder.toLowerCase()}\\`);
