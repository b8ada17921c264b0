/** Bundles every program to apps/<name>/dist: our own packages inside, registry packages left to node_modules. */
import { readFileSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const root = fileURLToPath(new URL('..', import.meta.url));

const readManifest = (folder) => JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
const packages = ['packages', 'apps'].flatMap((group) =>
  readdirSync(join(root, group)).map((name) => join(group, name)),
);
const external = [
  ...new Set(packages.flatMap((folder) => Object.keys(readManifest(folder).dependencies ?? {}))),
].filter((name) => !name.startsWith('@berth/'));

/** @type {Record<string, string[]>} the entry points of each program */
const programs = {
  server: ['main'],
  agent: ['main'],
  sandbox: ['setup-main', 'terminal-main', 'trading-server-main'],
};

for (const [name, entries] of Object.entries(programs)) {
  const outdir = join(root, 'apps', name, 'dist');
  rmSync(outdir, { recursive: true, force: true });
  await build({
    entryPoints: entries.map((entry) => join(root, 'apps', name, 'src', `${entry}.ts`)),
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    external: external.flatMap((dependency) => [dependency, `${dependency}/*`]),
    logLevel: 'warning',
  });
}
