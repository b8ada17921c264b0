/** The examples of the README and of the comments: each compiles as written, and runs on a real server with hosts. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { startTestStack, withClient, type TestStack } from '@berth/testing';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';

const TIMEOUT_MS = 300_000;
const home = join(import.meta.dirname, '..');
const root = join(home, '../..');
const folder = join(root, '.build', 'client-examples');

const COMMENT = /^ *\* @example\n((?: *\*(?!\/| @).*\n)+)/gm;
const BLOCK = /^```ts\n(.*?)^```$/gms;
/** With the comment that stands before it. */
const EXPORTED_CLASS = /(?:^(\/\*\*(?:(?!\*\/)[^])*\*\/)\n)?^export class (\w+)/gm;
/** `toText(error); // => 'It is gone.'` */
const OUTCOME = /^(\s*)(.+?);? \/\/ => (.+)$/gm;

interface Example {
  place: string;
  file: string;
  text: string;
}

const listExamples = (path: string, pattern: RegExp): Example[] => {
  const source = readFileSync(path, 'utf8');
  return [...source.matchAll(pattern)].map(({ 1: block = '', index }) => {
    const place = `${relative(root, path)}:${source.slice(0, index).split('\n').length}`;
    const text = pattern === COMMENT ? block.replace(/^ *\* ?/gm, '') : block;
    return { place, file: join(folder, `${place.replaceAll(/[/.:]/g, '-')}.ts`), text };
  });
};

const sources = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(home, 'src', name));
const examples = [
  ...listExamples(join(home, 'README.md'), BLOCK),
  ...sources.flatMap((path) => listExamples(path, COMMENT)),
];

let stack: TestStack;

/** The placeholders for the reader's own server and token are this one's, and stated outcomes are checked. */
const toProgram = (text: string, token: string): string => {
  const checked = text.replace(OUTCOME, (_line, indent: string, expression: string, outcome: string) => {
    return `${indent}expect(${expression}).toEqual(${outcome});`;
  });
  const real = checked.replaceAll('http://127.0.0.1:4000', stack.url).replaceAll('<id>|<secret>', token);
  return `import { expect } from 'vitest';\n${real}\nvoid expect;\nexport {};\n`;
};

beforeAll(async () => {
  stack = await startTestStack();
  const { token, user } = await stack.register('Ada Lovelace');
  await withClient(stack.databaseUrl, (client) =>
    client.query('update users set is_operator = true where id = $1', [user.id]),
  );
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const { file, text } of examples) writeFileSync(file, toProgram(text, token));
}, TIMEOUT_MS);
afterAll(async () => {
  await stack?.close();
  rmSync(folder, { recursive: true, force: true });
}, TIMEOUT_MS);

const compile = (): string[] => {
  const { config } = ts.readConfigFile(join(root, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, root);
  const program = ts.createProgram(
    examples.map(({ file }) => file),
    options,
  );
  return examples.flatMap(({ place, file }) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  );
};

describe('the examples', { timeout: TIMEOUT_MS }, () => {
  it('the examples are there for a first use, and for every class that is exported: groups of methods, lists and errors', () => {
    const exported = readFileSync(join(home, 'src/index.ts'), 'utf8');
    const classes = sources.flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(EXPORTED_CLASS)].map(({ 1: comment = '', 2: name = '' }) => ({
        name,
        isExported: path.endsWith('/errors.ts') || new RegExp(`\\b${name}\\b`).test(exported),
        hasExample: comment.includes('* @example\n'),
      })),
    );
    const shown = classes.filter(({ isExported }) => isExported);
    expect(shown.length).toBeGreaterThan(20);
    expect(shown.filter(({ hasExample }) => !hasExample).map(({ name }) => name)).toEqual([]);
  });

  it('the examples compile', () => expect(compile()).toEqual([]));

  it.each(examples)('the examples do what they say: $place', async ({ file }) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
    await import(/* @vite-ignore */ file);
    print.mockRestore();
  });
});
