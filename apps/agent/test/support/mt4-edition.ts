import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { mt4Dialect } from '../../src/platforms/metatrader/dialect.ts';
import type { Edition } from '../../src/platforms/metatrader/edition.ts';
import { ensureBaseInstall } from '../../src/platforms/metatrader/editions/base-install.ts';

/**
 * The sandbox's terminal as MetaTrader 4: the same program in a folder with `terminal.exe`. Only tests have it. It shows that the
 * driver's other dialect does all that the first one does; what a real terminal's window wants is an edition of its own.
 */
export const createMt4Edition = (
  sandbox: Edition,
  { programFolder, baseFolder }: { programFolder: string; baseFolder: string },
): Edition => ({
  platform: 'mt4',
  dialect: mt4Dialect,
  folderName: 'mt4',
  timing: sandbox.timing,
  ensureBase: () =>
    ensureBaseInstall({
      folder: baseFolder,
      version: 'sandbox-mt4',
      install: async (base) => {
        const root = join(base, 'mt4');
        await mkdir(root);
        const setup = join(programFolder, 'setup-main.js');
        await promisify(execFile)(process.execPath, [setup, '/auto', `/path:${root}`, '/mt4'], { env: {} });
      },
    }),
  toProgram: (root) => sandbox.toProgram(root),
  toEnvironment: (surroundings) => sandbox.toEnvironment(surroundings),
  operate: (screen) => sandbox.operate(screen),
  findShowAllSymbols: () => sandbox.findShowAllSymbols(),
  findBrokerEndpoint: () => sandbox.findBrokerEndpoint(),
  findPinnedBuild: async () => null,
});
