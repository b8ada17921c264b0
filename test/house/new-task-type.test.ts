/** Whoever adds a type of task touches the files that CONTRIBUTING.md names, and no other: one is added in a copy. */
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { taskTypes } from '@berth/contract';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
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
const asked = [`${contract}/payloads.ts`, `${contract}/facts.ts`, `${contract}/catalogue.ts`, `${handlers}/index.ts`];
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

let copy: string;
beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'berth-copy-'));
  for (const path of listTrackedFiles().filter((name) => /\.(ts|tsx|json)$/.test(name))) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    cpSync(join(rootDir, path), join(copy, path));
  }
  mkdirSync(join(copy, 'node_modules/@berth'), { recursive: true });
  for (const name of readdirSync(join(rootDir, 'node_modules'))) {
    if (name !== '@berth') symlinkSync(join(rootDir, 'node_modules', name), join(copy, 'node_modules', name));
  }
  for (const name of readdirSync(join(copy, 'packages'))) {
    symlinkSync(join(copy, 'packages', name), join(copy, 'node_modules/@berth', name));
  }
  for (const name of readdirSync(join(copy, 'apps'))) {
    const own = join('apps', name, 'node_modules');
    if (existsSync(join(rootDir, own))) symlinkSync(join(rootDir, own), join(copy, own));
  }
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

const change = (path: string, edit: (text: string) => string): void => {
  const file = join(copy, path);
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
};

const compile = (roots?: string[]): ts.Program => {
  const { config } = ts.readConfigFile(join(copy, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: object;
  };
  const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, copy);
  return ts.createProgram(roots ?? fileNames, options);
};

const toLine = ({ file, messageText }: ts.Diagnostic): string =>
  `${file?.fileName.slice(copy.length + 1) ?? ''}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;

/** The part of CONTRIBUTING.md that tells how to add one, with the files that it names in full. */
const findNamedFiles = (): string[] => {
  const [, section = ''] = /\*\*A type of task\.\*\*([\s\S]+?)\n\n\*\*/.exec(readText('CONTRIBUTING.md')) ?? [];
  return [...section.matchAll(/`((?:apps|packages|test|docs)\/[\w/<>.-]+)`/g)].map(([, path]) => path ?? '');
};

describe('a new type of task', { timeout: 300_000 }, () => {
  it('is asked for by the compiler in the files that have a line of each type', () => {
    change(`${contract}/types.ts`, withAddedEntries);
    const program = compile([`packages/contract/src/index.ts`, `${handlers}/index.ts`].map((path) => join(copy, path)));
    const places = [contract, handlers].map((folder) => `${join(copy, folder)}/`);
    const files = program.getSourceFiles().filter(({ fileName }) => places.some((place) => fileName.startsWith(place)));
    const missing = files
      .flatMap((file) => program.getSemanticDiagnostics(file).map(toLine))
      .filter((line) => [ADDED.number, ADDED.name].some((key) => line.includes(`Property '${key}' is missing`)));
    expect([...new Set(missing.map((line) => line.split(':')[0]))].sort()).toEqual([...asked].sort());
  });

  it('compiles with a line in each of them and its handler', () => {
    for (const path of asked) change(path, withAddedEntries);
    writeFileSync(
      join(copy, handlers, `${ADDED.file}.ts`),
      toAdded(readFileSync(join(copy, handlers, `${MODEL.file}.ts`), 'utf8')),
    );
    expect(ts.getPreEmitDiagnostics(compile()).map(toLine)).toEqual([]);
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
