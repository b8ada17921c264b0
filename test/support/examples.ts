/** Examples of comments and pages: written to files, compiled, and run; what they say of an outcome is checked. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, vi } from 'vitest';

const rootDir = join(import.meta.dirname, '../..');

const COMMENT = /^ *\* @example\n((?: *\*(?!\/| @).*\n)+)/gm;
const BLOCK = /^```ts\n(.*?)^```$/gms;
/** `isSingleLine('a\nb'); // => false`, also as `const answer = …` */
const OUTCOME = /^(\s*)(?:const (\w+)(?:: [^=]+)? = )?(.+?);? \/\/ => (.+)$/gm;

export interface ExampleText {
  /** The file and the line. */
  place: string;
  text: string;
}
export interface Example extends ExampleText {
  /** Where it is written to. */
  file: string;
}

/** The examples in the comments of a source, or the blocks of a page. @param path relative to the root */
export const listExamples = (path: string): ExampleText[] => {
  const source = readFileSync(join(rootDir, path), 'utf8');
  const isPage = path.endsWith('.md');
  return [...source.matchAll(isPage ? BLOCK : COMMENT)].map(({ 1: block = '', index }) => ({
    place: `${path}:${source.slice(0, index).split('\n').length}`,
    text: isPage ? block : block.replace(/^ *\* ?/gm, ''),
  }));
};

const toChecked = (text: string): string =>
  text.replace(OUTCOME, (_line, indent: string, name: string | undefined, expression: string, outcome: string) =>
    name === undefined
      ? `${indent}expect(${expression}).toEqual(${outcome});`
      : `${indent}const ${name} = ${expression};\n${indent}expect(${name}).toEqual(${outcome});`,
  );

const compile = (examples: readonly Example[]): string[] => {
  const { config } = ts.readConfigFile(join(rootDir, 'tsconfig.json'), (path) => ts.sys.readFile(path)) as {
    config: { compilerOptions: object };
  };
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, rootDir);
  const files = examples.map(({ file }) => file);
  const program = ts.createProgram(files, options);
  return examples.flatMap(({ place, file }) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(file))
      .map(({ messageText }) => `${place}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  );
};

/** Gives examples a folder below `.build` until the tests of the file are over. */
export const useExamples = <Text extends ExampleText>(name: string, texts: readonly Text[]) => {
  const folder = join(rootDir, '.build', name);
  const examples = texts.map((text, index) => ({ ...text, file: join(folder, `example-${index}.ts`) }));
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    examples,
    /** @param toReal puts in the reader's own server and token */
    write: ({ file, text }: Example, toReal = (checked: string) => checked): void =>
      writeFileSync(file, `import { expect } from 'vitest';\n${toReal(toChecked(text))}\nvoid expect;\nexport {};\n`),
    /** @returns what the compiler complains of */
    compile: () => compile(examples),
    run: async ({ file }: Example): Promise<void> => {
      const print = vi.spyOn(console, 'log').mockImplementation(() => undefined);
      await import(/* @vite-ignore */ file);
      print.mockRestore();
    },
  };
};
