/** Where the tests under Wine find what they start. */
import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * Wine's own loaders, not the script `wine` of the distribution: it sets variables of its own, and a program that it starts
 * has another process id.
 */
const LOADERS = ['/usr/lib/wine/wine64', '/usr/lib/x86_64-linux-gnu/wine/wine64', '/opt/wine-stable/bin/wine64'];
const NARROW_LOADERS = ['/usr/lib/wine/wine', '/usr/lib/i386-linux-gnu/wine/wine'];

/** The path of a program that is found by its name, or undefined. */
export const findProgram = (name: string): string | undefined =>
  (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));

const findLoader = (): string | undefined => LOADERS.find((path) => existsSync(path));

/** The loader of 64-bit programs. */
export const getLoader = (): string => {
  const loader = findLoader();
  if (!loader) throw new Error('There is no Wine loader: "script/setup --wine" installs Wine (Debian, root).');
  return loader;
};

/** The loader of 32-bit programs; undefined where this Wine has none, and MetaTrader 4's programs are built for 64 bit. */
export const findNarrowLoader = (): string | undefined => NARROW_LOADERS.find((path) => existsSync(path));

/** Wine's server, beside its loaders. */
export const getServer = (): string => {
  const server = ['wineserver64', 'wineserver']
    .map((name) => join(dirname(getLoader()), name))
    .find((path) => existsSync(path));
  if (!server) throw new Error(`There is no server of Wine beside ${getLoader()}.`);
  return server;
};
