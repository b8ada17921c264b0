/** Builds the dashboard with Vite to apps/dashboard/dist, when one of its sources is newer than the last build. */
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What ends up in it. Folders count too, because a deletion only shows there. */
const sources = [
  'apps/dashboard',
  'packages/client/src',
  'packages/contract/src',
  'package-lock.json',
  'script/build-dashboard.mjs',
];
const left = new Set(['dist', 'node_modules', 'test']);

/** @returns Unix milliseconds of what was changed last below the path */
const findLastChange = (path) => {
  if (!existsSync(path)) return 0;
  const entry = statSync(path);
  if (!entry.isDirectory()) return entry.mtimeMs;
  // The folder of the app itself changes with every build, by its `dist`.
  const own = existsSync(join(path, 'package.json')) ? 0 : entry.mtimeMs;
  const names = readdirSync(path).filter((name) => !left.has(name));
  return Math.max(own, ...names.map((name) => findLastChange(join(path, name))));
};

export const buildDashboard = async (root) => {
  const dist = join(root, 'apps/dashboard/dist');
  const built = join(dist, 'index.html');
  const lastChange = Math.max(...sources.map((path) => findLastChange(join(root, path))));
  if (existsSync(built) && statSync(built).mtimeMs > lastChange) return;
  const draft = join(root, `.build/dashboard.${process.pid}`);
  // Vite takes what is set: a build that a test began would bring React's development half along, half as large again.
  process.env.NODE_ENV = 'production';
  const { build } = await import('vite');
  try {
    await build({
      root: join(root, 'apps/dashboard'),
      logLevel: 'warn',
      // The other loaders write next to the packages, where the user who starts the server may have no permission.
      configLoader: 'runner',
      build: { outDir: draft, emptyOutDir: true },
    });
    // In one step, so that a server that starts at that moment finds the old build or the new one, never half of
    // either.
    rmSync(dist, { recursive: true, force: true });
    renameSync(draft, dist);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
};
