/** Where a terminal lies in its prefix: always at the same place, whatever its installer chose. No blanks, so that nothing needs quotes. */
export const terminalPlaces = {
  mt5: { folderName: 'mt5', program: 'terminal64.exe' },
  mt4: { folderName: 'mt4', program: 'terminal.exe' },
} as const;

/** The platforms whose terminals come from a base. */
export type BasedPlatform = keyof typeof terminalPlaces;

/** As a base's record says it, below drive C. Pure. */
export const toProgramPath = (platform: BasedPlatform): string => {
  const { folderName, program } = terminalPlaces[platform];
  return `${folderName}/${program}`;
};
