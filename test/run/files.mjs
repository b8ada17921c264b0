/**
 * Which test files a run has. A file that ends in `.slow.test.ts` is exhaustive and runs with `--slow`; `.ci/run` takes a
 * share of those, chosen by a seed, and all that are about what has changed.
 */
import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';

export const root = join(import.meta.dirname, '../..');

const FOLDERS = ['packages', 'apps', 'test'];
export const SLOW = '.slow.test.ts';

/** Of so many shares a seed chooses one: each slow file comes up in every so many runs. */
export const SHARES = 8;

/** The sources that the slow tests of a folder are about, besides the folder itself. The longest name counts. */
const SUBJECTS = {
  'apps/server/test': ['apps/server/src'],
  'apps/agent/test': ['apps/agent/src'],
  'packages/client/test': ['packages/client/src', 'packages/client/build'],
  'test/browser': ['apps/dashboard/src'],
  'test/cluster': [
    ...['apps/server/src/scheduler', 'apps/server/src/hosts', 'apps/server/src/db'],
    ...['apps/server/src/events', 'apps/server/src/event-log', 'apps/server/src/webhooks', 'apps/server/src/alerts'],
  ],
  'test/e2e': ['docs', 'packages/client/src', 'packages/contract/src'],
  'test/house': ['packages/contract/src/tasks', 'apps/agent/src/platforms/metatrader/tasks'],
  'test/faults': ['apps/server/src/tasks', 'apps/server/src/hosts', 'apps/agent/src/attempts', 'packages/postgres/src'],
  'test/faults/simulation': ['apps/server/src/scheduler', 'apps/server/src/tasks', 'packages/contract/src/tasks'],
  'test/operations': ['apps/server/src/backup', 'apps/server/migrations', 'packages/postgres/src'],
  'test/security': ['apps/server/src/api', 'apps/server/src/tokens', 'packages/contract/src/routes'],
  'test/wine': [
    'apps/agent/src/launchers',
    'apps/agent/src/bases',
    'apps/agent/src/commands',
    'apps/link/src',
    'apps/link/cpp',
    'apps/windows/src',
  ],
};

/** @returns every test file, from the root of the repository, sorted */
export const listTestFiles = () =>
  FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true })
      .map((path) => join(folder, String(path)).split(sep).join('/'))
      .filter((path) => path.endsWith('.test.ts') && !path.includes('/node_modules/') && !path.includes('/dist/')),
  ).sort();

export const isSlow = (path) => path.endsWith(SLOW);

/** The share of the files that the seed chooses. @param seed a whole number @param shares of so many shares, one */
export const toShare = (files, seed, shares = SHARES) => files.filter((_, index) => index % shares === seed % shares);

const findSubjects = (path) => {
  const [folder] = Object.keys(SUBJECTS)
    .filter((name) => path.startsWith(`${name}/`))
    .sort((a, b) => b.length - a.length);
  return folder === undefined ? [] : [folder, ...SUBJECTS[folder]];
};

/** The files that are about something among the changed paths. */
export const toConcerned = (files, changed) =>
  files.filter((path) => findSubjects(path).some((subject) => changed.some((one) => one.startsWith(`${subject}/`))));
