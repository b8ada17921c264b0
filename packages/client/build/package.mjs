/**
 * Builds what is published: one file of JavaScript with its map, for ES modules and for CommonJS;
 * declarations that stand on their own; a manifest.
 */
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import prettier from 'prettier';
import ts from 'typescript';
import { writeTypes } from './written-types.mjs';

const home = fileURLToPath(new URL('..', import.meta.url));
const root = join(home, '../..');
const src = join(home, 'src');
const entry = join(src, 'index.ts');
/** Presets, and the check of what a webhook received, stand on their own. */
const entries = [entry, join(src, 'set-file.ts'), join(src, 'webhook.ts')];
const typesFile = join(src, 'types.ts');

const bundle = (outDir, format) =>
  build({
    entryPoints: entries,
    outdir: outDir,
    bundle: true,
    format,
    platform: 'neutral',
    target: ['es2022', 'node20'],
    sourcemap: 'linked',
    logLevel: 'warning',
  });

const createProgram = () => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), ts.sys.readFile);
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const emit = { noEmit: false, declaration: true, emitDeclarationOnly: true, rootDir: root, outDir: '/' };
  return ts.createProgram(entries, { ...options, ...emit, stripInternal: true });
};

/** Declarations of the client's own files; the file of types from the contract is written out. */
export const writeDeclarations = async (outDir) => {
  const program = createProgram();
  const emitted = new Map();
  for (const source of program.getSourceFiles()) {
    if (!source.fileName.startsWith(src)) continue;
    const take = (_path, text) => emitted.set(source.fileName, text);
    program.emit(source, take, undefined, true);
  }
  emitted.set(typesFile, writeTypes(program, typesFile));
  const style = await prettier.resolveConfig(entry);
  for (const [path, text] of emitted) {
    const target = join(outDir, relative(src, path).replace(/\.ts$/, '.d.ts'));
    const imports = text.replace(/(from '\.[^']+)\.ts'/g, "$1.js'").replace(/(from "\.[^"]+)\.ts"/g, '$1.js"');
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, await prettier.format(imports, { ...style, parser: 'typescript' }));
  }
};

/** The same for programs in CommonJS: TypeScript and tools such as Jest let them have no ES module. */
const writeCommonJs = async (outDir) => {
  const folder = join(outDir, 'commonjs');
  for (const path of readdirSync(outDir, { recursive: true }).filter((name) => name.endsWith('.d.ts'))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    copyFileSync(join(outDir, path), join(folder, path));
  }
  await bundle(folder, 'cjs');
  writeFileSync(join(folder, 'package.json'), '{ "type": "commonjs" }\n');
};

const toManifest = () => {
  const { name, version, description, license, type, engines, sideEffects } = JSON.parse(
    readFileSync(join(home, 'package.json'), 'utf8'),
  );
  const toExport = (file) => {
    const module = { types: `./${file}.d.ts`, default: `./${file}.js` };
    const commonJs = { types: `./commonjs/${file}.d.ts`, default: `./commonjs/${file}.js` };
    // Node.js takes the first for import and require alike, so that a process has each class once.
    return { 'module-sync': module, require: commonJs, default: module };
  };
  const exports = {
    '.': toExport('index'),
    './set-file': toExport('set-file'),
    './webhook': toExport('webhook'),
    './package.json': './package.json',
  };
  const types = './index.d.ts';
  return { name, version, description, license, type, engines, sideEffects, types, exports };
};

/** Pages of the repository are not in the package, so that links to them would lead nowhere. */
const toReadme = () => readFileSync(join(home, 'README.md'), 'utf8').replace(/\[([^\]]+)\]\(\.\.\/[^)]*\)/g, '$1');

/** Rebuilds the folder. @returns when everything is there */
export const buildPackage = async (outDir) => {
  rmSync(outDir, { recursive: true, force: true });
  mkdirSync(outDir, { recursive: true });
  await bundle(outDir, 'esm');
  await writeDeclarations(outDir);
  await writeCommonJs(outDir);
  writeFileSync(join(outDir, 'package.json'), `${JSON.stringify(toManifest(), undefined, 2)}\n`);
  writeFileSync(join(outDir, 'README.md'), toReadme());
  for (const name of ['LICENSE', 'NOTICE']) copyFileSync(join(root, name), join(outDir, name));
};
