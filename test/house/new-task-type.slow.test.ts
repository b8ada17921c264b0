/** Adding a type of task touches the files that CONTRIBUTING.md names, and no other: one is added in a copy. */
import { join } from 'node:path';
import { taskTypes } from '@berth/contract';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { listTrackedFiles, readText, rootDir } from './repository.ts';

/** The newest type, after whose lines those of the added one are written. */
const MODEL = {
  name: 'MARKET_WATCH_SHOW_ALL',
  handler: 'marketWatchShowAll',
  file: 'market-watch-show-all',
  number: 14,
};
const ADDED = {
  name: 'MARKET_WATCH_HIDE_ALL',
  handler: 'marketWatchHideAll',
  file: 'market-watch-hide-all',
  number: 15,
};

const handlers = 'apps/agent/src/platforms/metatrader/tasks';
const contract = 'packages/contract/src/tasks';
/** Without a line in each of these nothing compiles. */
const server = 'apps/server/src/tasks';
const asked = [
  ...[`${contract}/payloads.ts`, `${contract}/facts.ts`, `${contract}/catalogue.ts`],
  ...[`${handlers}/index.ts`, `${server}/proofs.ts`],
];
const changed = [`${contract}/types.ts`, ...asked];

const toAdded = (text: string): string =>
  text
    .replaceAll(MODEL.name, ADDED.name)
    .replaceAll(MODEL.handler, ADDED.handler)
    .replaceAll(MODEL.file, ADDED.file)
    .replaceAll(new RegExp(`\\b${MODEL.number}\\b`, 'g'), String(ADDED.number));

const isOfModel = (line: string): boolean => line.includes(MODEL.name) || line.includes(MODEL.handler);

const toDepth = (text: string): number => (text.match(/[([{]/g)?.length ?? 0) - (text.match(/[)\]}]/g)?.length ?? 0);

/** Each entry of the model, which may have several lines, and the same for the added type. */
const withAddedEntries = (text: string): string => {
  const lines = text.split('\n');
  const result: string[] = [];
  while (lines.length > 0) {
    const entry = lines.splice(0, 1);
    while (isOfModel(entry[0]!) && toDepth(entry.join('\n')) > 0) entry.push(...lines.splice(0, 1));
    result.push(...entry, ...(isOfModel(entry[0]!) ? [toAdded(entry.join('\n'))] : []));
  }
  return result.join('\n');
};

/** What the added type changes, in memory: a copy in which every other file is the repository's own. */
const written = new Map<string, string>();
const find = (path: string): string => written.get(join(rootDir, path)) ?? readText(path);
const write = (path: string, text: string): void => {
  written.set(join(rootDir, path), text);
};

/** Files that both compilations have in common are read and parsed once. */
const parsed = new Map<string, ts.SourceFile>();

const createHost = (options: ts.CompilerOptions): ts.CompilerHost => {
  const host = ts.createCompilerHost(options);
  return {
    ...host,
    fileExists: (path) => written.has(path) || host.fileExists(path),
    readFile: (path) => written.get(path) ?? host.readFile(path),
    getSourceFile: (path, language, ...rest) => {
      const text = written.get(path);
      if (text !== undefined) return ts.createSourceFile(path, text, language);
      const file = parsed.get(path) ?? host.getSourceFile(path, language, ...rest);
      if (file) parsed.set(path, file);
      return file;
    },
  };
};

const compile = (): ts.Program => {
  const { config } = ts.readConfigFile(join(rootDir, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, rootDir);
  return ts.createProgram([...fileNames, ...written.keys()], options, createHost(options));
};

/** The files that it imports or re-exports from. TypeScript collects them, though its types do not say so. */
const listImported = (program: ts.Program, file: ts.SourceFile): string[] => {
  const checker = program.getTypeChecker();
  const { imports = [] } = file as { imports?: readonly ts.StringLiteralLike[] };
  return imports.flatMap(
    (name) => checker.getSymbolAtLocation(name)?.declarations?.[0]?.getSourceFile().fileName ?? [],
  );
};

/** The changed files and all that hang on them, directly or by way of others: in no other can a change of theirs be wrong. */
const listDependents = (program: ts.Program): ts.SourceFile[] => {
  const importers = new Map<string, ts.SourceFile[]>();
  for (const file of program.getSourceFiles().filter(({ isDeclarationFile }) => !isDeclarationFile)) {
    for (const path of listImported(program, file)) importers.set(path, [...(importers.get(path) ?? []), file]);
  }
  const found = new Set([...written.keys()].map((path) => program.getSourceFile(path)!));
  for (const file of found) for (const importer of importers.get(file.fileName) ?? []) found.add(importer);
  return [...found];
};

const toLine = ({ file, messageText }: ts.Diagnostic): string =>
  `${file?.fileName.slice(rootDir.length + 1) ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;

/** The part of CONTRIBUTING.md that tells how to add one, with the files that it names in full. */
const findNamedFiles = (): string[] => {
  const [, section = ''] = /\*\*A type of task\.\*\*([\s\S]+?)\n\n\*\*/.exec(readText('CONTRIBUTING.md')) ?? [];
  return [...section.matchAll(/`((?:apps|packages|test|docs)\/[\w/<>.-]+)`/g)].map(([, path]) => path ?? '');
};

describe('a new type of task', { timeout: 900_000 }, () => {
  it('is asked for by the compiler in the files that have a line of each type', () => {
    write(`${contract}/types.ts`, withAddedEntries(find(`${contract}/types.ts`)));
    const program = compile();
    const places = [contract, handlers, server].map((folder) => `${join(rootDir, folder)}/`);
    const files = program.getSourceFiles().filter(({ fileName }) => places.some((place) => fileName.startsWith(place)));
    const missing = files
      .flatMap((file) => program.getSemanticDiagnostics(file).map(toLine))
      .filter((line) => [ADDED.number, ADDED.name].some((key) => line.includes(`Property '${key}' is missing`)));
    expect([...new Set(missing.map((line) => line.split(':')[0]))].sort()).toEqual([...asked].sort());
  });

  it('compiles with a line in each of them and its handler', () => {
    for (const path of asked) write(path, withAddedEntries(find(path)));
    write(`${handlers}/${ADDED.file}.ts`, toAdded(find(`${handlers}/${MODEL.file}.ts`)));
    const program = compile();
    const dependents = listDependents(program);
    expect(dependents.map(({ fileName }) => fileName)).toContain(join(rootDir, 'apps/server/src/server.ts'));
    const wrong = dependents.flatMap((file) => [
      ...program.getSyntacticDiagnostics(file),
      ...program.getSemanticDiagnostics(file),
    ]);
    expect(wrong.map(toLine)).toEqual([]);
  });

  it('touches the files that CONTRIBUTING.md names', () => {
    const named = findNamedFiles();
    for (const path of [...changed, `${handlers}/<name>.ts`]) expect(named).toContain(path);
    for (const path of named.filter((name) => !name.includes('<'))) {
      expect(
        listTrackedFiles().some((name) => name === path || name.startsWith(`${path}/`)),
        path,
      ).toBe(true);
    }
  });

  it('is let in by the database only with a migration: the check on the column ends with the newest type', () => {
    const [, last] = /constraint tasks_type_check CHECK .*type <= (\d+)/.exec(readText('apps/server/schema.sql')) ?? [];
    expect(Number(last)).toBe(Math.max(...taskTypes));
    expect(MODEL.number).toBe(Math.max(...taskTypes));
  });
});
