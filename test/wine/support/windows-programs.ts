/** The Windows programs of this repository, built for the tests by script/build-windows. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, copyFileSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findNarrowLoader } from './wine-tools.ts';

export const rootDir = fileURLToPath(new URL('../../..', import.meta.url));

/** Builds the named programs where their sources have changed. Throws with the compiler's words. */
export const buildWindowsPrograms = (
  ...names: ('window' | 'stand-in' | 'editor' | 'setup' | 'package' | 'hostile')[]
): void => {
  execFileSync(`${rootDir}script/build-windows`, names, { stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8' });
};

/** Compiles the link program's source for the stand-in. */
export const buildLinkProgram = (): void => {
  execFileSync(`${rootDir}script/build-link`, ['windows'], { stdio: ['ignore', 'inherit', 'pipe'], encoding: 'utf8' });
};

/** The link program's source as a service of the stand-in. */
export const linkProgram = `${rootDir}.build/windows/link/BerthLink.ex5`;
/** Stands in for MetaTrader's compiler: it makes what lies in its folder `simulated`. */
export const editorProgram = `${rootDir}.build/windows/64/metaeditor64.exe`;
export const windowProgram = `${rootDir}apps/windows/dist/berth-window.exe`;
export const hostileProgram = `${rootDir}.build/windows/64/hostile.exe`;

/** Writes a Windows Installer package that imitates Wine's Gecko. */
export const packageProgram = `${rootDir}.build/windows/64/package.exe`;

/** The stand-in for MetaTrader 5. */
export const standInTerminal64 = `${rootDir}.build/windows/64/terminal64.exe`;

/** The stand-in for MetaTrader 4: of 32 bit where this machine's Wine runs such programs; its title says which it is. */
export const standInTerminal = (): string =>
  `${rootDir}.build/windows/${findNarrowLoader() ? '32' : '64'}/terminal.exe`;

/**
 * A broker's setup program, with the stand-in for MetaTrader 5 in its tail. @param mark of one that does nothing at its first
 * try: BERTH-STALLING; of one that fails without pages: BERTH-HAS-PAGE @returns its path
 */
export const makeInstaller = (folder: string, mark = 'BERTH-TERMINAL'): string => {
  const file = join(folder, 'broker5setup.exe');
  const program = readFileSync(standInTerminal64);
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(program.length));
  copyFileSync(join(rootDir, '.build/windows/64/setup.exe'), file);
  appendFileSync(file, Buffer.concat([program, length, Buffer.from(mark)]));
  return file;
};
