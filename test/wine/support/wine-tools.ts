/** What the tests under Wine need on the machine. They install nothing by themselves. */
import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const PROGRAMS = ['wineserver', 'wineboot', 'Xvfb', 'openbox', 'bwrap', 'pasta', 'xdotool', 'x86_64-w64-mingw32-gcc'];

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

/** Throws one line that says what is missing and how to get it. Call it first in every file of test/wine. */
export const assertWineTools = (): void => {
  const missing = PROGRAMS.filter((name) => !findProgram(name));
  if (!findLoader()) missing.unshift('wine64');
  if (missing.length > 0) {
    throw new Error(
      `The tests under Wine need ${missing.join(', ')}: "script/setup --wine" installs them (Debian, root).`,
    );
  }
};

/** The loader of 64-bit programs. */
export const getLoader = (): string => {
  const loader = findLoader();
  if (!loader) throw new Error('There is no Wine loader: "script/setup --wine" installs Wine (Debian, root).');
  return loader;
};

/** The loader of 32-bit programs; undefined where this Wine has none, and MetaTrader 4's programs are built for 64 bit. */
export const findNarrowLoader = (): string | undefined => NARROW_LOADERS.find((path) => existsSync(path));
