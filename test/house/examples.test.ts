/** The examples in the comments of the contract and the kit: each compiles as written, and has the stated result. */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, describe, expect, it } from 'vitest';
import { listTrackedFiles, readText, rootDir } from './repository.ts';

const EXAMPLE = /^ *\* @example\n((?: *\*(?!\/| @).*\n)+)/gm;
/** `isSingleLine('a\nb'); // => false` */
const OUTCOME = /^(\s*)(?:const (\w+)(?:: [^=]+)? = )?(.+?);? \/\/ => (.+)$/gm;

const folder = join(rootDir, '.build', 'examples');

interface Example {
  /** The file and the line. */
  place: string;
  file: string;
  text: string;
}

/** What is said of an outcome becomes a check of it. */
const toChecked = (text: string): string =>
  text.replace(OUTCOME, (_line, indent: string, name: string | undefined, expression: string, outcome: string) =>
    name === undefined
      ? `${indent}expect(${expression}).toEqual(${outcome});`
      : `${indent}const ${name} = ${expression};\n${indent}expect(${name}).toEqual(${outcome});`,
  );

const listExamples = (path: string): Example[] => {
  const source = readText(path);
  return [...source.matchAll(EXAMPLE)].map(({ 1: block = '', index }, number) => {
    const line = source.slice(0, index).split('\n').length;
    const text = block.replace(/^ *\* ?/gm, '');
    const name = `${path.replaceAll(/[/.]/g, '-')}-${number}.ts`;
    return { place: `${path}:${line}`, file: join(folder, name), text };
  });
};

const sources = listTrackedFiles().filter((path) => /^packages\/(contract|kit)\/src\/.+\.ts$/.test(path));
const examples = sources.flatMap(listExamples);

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
for (const { file, text } of examples) {
  writeFileSync(file, `import { expect } from 'vitest';\n${toChecked(text)}\nvoid expect;\nexport {};\n`);
}
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const compile = (): string[] => {
  const { config } = ts.readConfigFile(join(rootDir, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, rootDir);
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

describe('the examples', { timeout: 120_000 }, () => {
  it('the examples are there for a first use', () => expect(examples.length).toBeGreaterThan(15));

  it('the examples compile', () => expect(compile()).toEqual([]));

  it.each(examples)('the examples do what they say: $place', async ({ file }) => {
    await import(/* @vite-ignore */ file);
  });
});
