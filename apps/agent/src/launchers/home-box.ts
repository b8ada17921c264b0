import { relative, sep } from 'node:path';
import type { Box } from './launcher.ts';

/** A box whose home is one folder of the host. Pure. @param insideHome its path for the terminal, such as `C:` */
export const toHomeBox = (folder: string, home: string, insideHome: string): Box => ({
  folder,
  home,
  toInside: (path) => {
    const inside = relative(home, path);
    if (inside === '' || inside.startsWith('..')) throw new Error(`${path} is not in the terminal's box`);
    return `${insideHome}\\${inside.replaceAll(sep, '\\')}`;
  },
});
