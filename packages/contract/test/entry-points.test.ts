/** What other programs may count on when they import the contract: what comes along, and that it is at home in a browser. */
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import * as agent from '../src/agent.ts';
import * as values from '../src/values.ts';
import * as all from '../src/index.ts';

const folder = join(import.meta.dirname, '../src');
const entries = ['index.ts', 'values.ts', 'agent.ts'].map((name) => join(folder, name));

/** A few kilobytes: what a page loads before it shows anything. */
const MAX_VALUES_BYTES = 8.5 * 1024;

const bundle = async (source: string) => {
  const { outputFiles, metafile } = await build({
    stdin: { contents: source, resolveDir: folder, loader: 'ts' },
    ...{ bundle: true, minify: true, format: 'esm', platform: 'browser', write: false, metafile: true },
  });
  const [output] = Object.values(metafile.outputs);
  const included = Object.entries(output!.inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
  return { bytes: gzipSync(outputFiles[0]!.contents).length, inputs: included.map(([path]) => path) };
};

const compile = (): ts.Program =>
  ts.createProgram(entries, {
    target: ts.ScriptTarget.ES2023,
    lib: ['lib.es2023.d.ts', 'lib.dom.d.ts'],
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    types: [],
    ...{ strict: true, exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true, verbatimModuleSyntax: true },
    ...{ skipLibCheck: true, noEmit: true, allowImportingTsExtensions: true },
  });

/** Names that every script knows: of the language and of the browser. */
const isGlobal = (program: ts.Program, name: string): boolean => {
  const anchor = program.getSourceFile(entries[0]!)!;
  const meaning = ts.SymbolFlags.Type | ts.SymbolFlags.Value;
  const found = program.getTypeChecker().resolveName(name, anchor, meaning, false);
  const isOurs = found?.declarations?.some(
    (declaration) => !program.isSourceFileDefaultLibrary(declaration.getSourceFile()),
  );
  return found !== undefined && isOurs !== true;
};

it('the values come without a schema library and are a few kilobytes', async () => {
  const { bytes, inputs } = await bundle(`export * from './values.ts'`);
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
  expect(inputs).toContainEqual(expect.stringContaining('machine.ts'));
  expect(bytes).toBeLessThan(MAX_VALUES_BYTES);
});

it('the values are part of the whole, and the protocol of agents is too', () => {
  expect(Object.keys(all)).toEqual(expect.arrayContaining([...Object.keys(values), ...Object.keys(agent)]));
});

it('the limits of the agent protocol come without a schema library, so that an agent carries none', async () => {
  const { inputs } = await bundle(`export { HEARTBEAT_MS, eventVerdicts } from './agent.ts'`);
  expect(inputs.filter((path) => path.includes('node_modules'))).toEqual([]);
});

describe('the entry points', { timeout: 120_000 }, () => {
  const program = compile();

  it('the entry points compile for a browser: without the types of Node', () => {
    const errors = ts.getPreEmitDiagnostics(program);
    expect(errors.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([]);
  });

  it('export no name that the language or a browser gives another meaning', () => {
    const checker = program.getTypeChecker();
    const names = entries.flatMap((path) =>
      checker.getExportsOfModule(checker.getSymbolAtLocation(program.getSourceFile(path)!)!).map(({ name }) => name),
    );
    expect(names).toContain('StoredFile');
    expect([...new Set(names)].filter((name) => isGlobal(program, name))).toEqual([]);
    expect(['File', 'Notification', 'Symbol'].filter((name) => !isGlobal(program, name))).toEqual([]);
  });
});
