import type { BaseBox } from './base-box.ts';

/** A quarter of a minute on an idle machine. */
const PREFIX_MS = 5 * 60_000;
const SYSTEM = 'C:\\windows\\system32\\';

/** Sets the empty prefix up as Windows 10. Wine does not prompt: neither Mono nor Gecko is installed. */
export const makePrefix = async (box: BaseBox): Promise<void> => {
  await box.open();
  await box.run('Setting up Windows', [`${SYSTEM}wineboot.exe`, '-i'], PREFIX_MS);
  // Older versions of Wine report Windows 7 by default.
  await box.run('Choosing Windows 10', [`${SYSTEM}winecfg.exe`, '-v', 'win10'], PREFIX_MS);
};
