import type { BaseBox } from './base-box.ts';

/** A quarter of a minute on a machine that has nothing else to do. */
const PREFIX_MS = 5 * 60_000;
const SYSTEM = 'C:\\windows\\system32\\';

/** Makes a Windows 10 of the empty prefix. Wine asks for nothing: neither Mono nor Gecko is installed. */
export const makePrefix = async (box: BaseBox): Promise<void> => {
  await box.open();
  await box.run('Setting up Windows', [`${SYSTEM}wineboot.exe`, '-i'], PREFIX_MS);
  // Older versions of Wine introduce themselves as Windows 7.
  await box.run('Choosing Windows 10', [`${SYSTEM}winecfg.exe`, '-v', 'win10'], PREFIX_MS);
};
