/**
 * Where a terminal lies in its prefix: always at the same place, whatever its installer chose. No blanks, so that nothing needs
 * quotes. The last two are files of its folder `config`: what it saves at a clean stop, and the accounts that it remembers.
 */
export const terminalPlaces = {
  mt5: { folderName: 'mt5', program: 'terminal64.exe', optionsFile: 'common.ini', accountsFile: 'accounts.dat' },
  mt4: { folderName: 'mt4', program: 'terminal.exe', optionsFile: 'terminal.ini', accountsFile: 'accounts.ini' },
} as const;

/** The platforms whose terminals come from a base. */
export type BasedPlatform = keyof typeof terminalPlaces;

/** As a base's record says it, below drive C. Pure. */
export const toProgramPath = (platform: BasedPlatform): string => {
  const { folderName, program } = terminalPlaces[platform];
  return `${folderName}/${program}`;
};
