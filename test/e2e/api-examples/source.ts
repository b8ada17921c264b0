/** The calls as written in their file, for the pages: what is shown is what runs. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

const file = join(import.meta.dirname, 'calls.ts');

/** Without the indentation of the line that it begins in. */
const dedent = (text: string, line: string): string => {
  const { length } = /^ */.exec(line)?.[0] ?? '';
  return text.replaceAll(new RegExp(`^ {${length}}`, 'gm'), '');
};

const toLine = (source: ts.SourceFile, position: number): string =>
  source.text.split('\n')[source.getLineAndCharacterOfPosition(position).line] ?? '';

const toText = (source: ts.SourceFile, { body }: ts.ArrowFunction): string => {
  if (!ts.isBlock(body)) return `await ${dedent(body.getText(source), toLine(source, body.getStart(source)))};`;
  const [first] = body.statements;
  if (!first) throw new Error('a call is empty');
  const text = source.text.slice(first.getFullStart(), body.statements.end);
  return dedent(text.replace(/^\n/, ''), toLine(source, first.getStart(source))).trim();
};

/** Name of the operation → its call in TypeScript. */
export const readCalls = (): Map<string, string> => {
  const source = ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);
  const texts = new Map<string, string>();
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && ts.isArrowFunction(node.initializer)) {
      texts.set(node.name.getText(source), toText(source, node.initializer));
      return;
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return texts;
};
