/** Bundles every program to apps/<name>/dist: our own packages inside, registry packages left to node_modules. */
import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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

/** A program is an app's src/main.ts, or src/<something>-main.ts. */
const findEntries = (app) => {
  const src = join(root, 'apps', app, 'src');
  const names = existsSync(src) ? readdirSync(src) : [];
  return names.filter((name) => /^(.+-)?main\.ts$/.test(name)).map((name) => join(src, name));
};

/** Replaces the files one by one, entry points last, so that a program can be started while it is built anew. */
const replaceFiles = (outdir, files) => {
  mkdirSync(outdir, { recursive: true });
  const isEntry = (file) => /^(.+-)?main\.js(\.map)?$/.test(basename(file.path));
  for (const file of [...files].sort((a, b) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const draft = `${file.path}.${process.pid}`;
    writeFileSync(draft, file.contents);
    renameSync(draft, file.path);
  }
  const names = new Set(files.map((file) => basename(file.path)));
  for (const name of readdirSync(outdir)) if (!names.has(name)) rmSync(join(outdir, name), { force: true });
};

const buildApp = async (app) => {
  const entryPoints = findEntries(app);
  if (entryPoints.length === 0) return;
  const outdir = join(root, 'apps', app, 'dist');
  const { outputFiles } = await build({
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    external: external.flatMap((dependency) => [dependency, `${dependency}/*`]),
    logLevel: 'warning',
    write: false,
  });
  replaceFiles(outdir, outputFiles);
};

for (const app of readdirSync(join(root, 'apps'))) {
  try {
    await buildApp(app);
  } catch {
    // esbuild has printed why.
    process.exitCode = 1;
  }
}
