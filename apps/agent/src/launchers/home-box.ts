import { relative, sep } from 'node:path';
import type { Box } from './launcher.ts';

/** A box with one folder of the host as its home. Pure. @param insideHome what the terminal calls it, such as `C:` */
export const toHomeBox = (folder: string, home: string, insideHome: string): Box => ({
  folder,
  home,
  toInside: (path) => {
    const inside = relative(home, path);
    if (inside === '' || inside.startsWith('..')) throw new Error(`${path} is not in the terminal's box`);
    return `${insideHome}\\${inside.replaceAll(sep, '\\')}`;
  },
});
