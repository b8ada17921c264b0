/**
 * Where a terminal is located in its prefix: always at the same place, whatever its installer chose. No spaces, so that
 * nothing needs quotes. The last two are files of its folder `config`: what it saves at a clean stop, and its saved
 * accounts.
 */
export const terminalPlaces = {
  mt5: { folderName: 'mt5', program: 'terminal64.exe', optionsFile: 'common.ini', accountsFile: 'accounts.dat' },
  mt4: { folderName: 'mt4', program: 'terminal.exe', optionsFile: 'terminal.ini', accountsFile: 'accounts.ini' },
} as const;

/** The platforms whose terminals come from a base. */
export type BasedPlatform = keyof typeof terminalPlaces;

/** As written in a base's record, below drive C. Pure. */
export const toProgramPath = (platform: BasedPlatform): string => {
  const { folderName, program } = terminalPlaces[platform];
  return `${folderName}/${program}`;
};
