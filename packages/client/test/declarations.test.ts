/** What an editor shows to users of the client: a comment for everything public, and names instead of numbers. */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { writeDeclarations } from '../build/package.mjs';

const TIMEOUT_MS = 120_000;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'berth-declarations-'));
  await writeDeclarations(folder);
}, TIMEOUT_MS);
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Names of statuses and types say by themselves what they are. */
const isTableEntry = (name: string): boolean => /^[A-Z][A-Z_]+$/.test(name);

const isField = (node: ts.Node): node is ts.TypeElement | ts.ClassElement =>
  ts.isPropertySignature(node) ||
  ts.isMethodSignature(node) ||
  ts.isPropertyDeclaration(node) ||
  ts.isMethodDeclaration(node);

const isHidden = (node: ts.TypeElement | ts.ClassElement): boolean =>
  (ts.getCombinedModifierFlags(node) & (ts.ModifierFlags.Private | ts.ModifierFlags.Protected)) !== 0 ||
  (node.name !== undefined && ts.isPrivateIdentifier(node.name));

const hasComment = (node: ts.Node): boolean => ts.getJSDocCommentsAndTags(node).length > 0;

/** Fields in the declaration, however deep, that have no comment. */
const listBare = (declaration: ts.Node, path: string): string[] => {
  const bare: string[] = [];
  const visit = (node: ts.Node, at: string): void => {
    let here = at;
    // What a method asks of a type is no field.
    if (ts.isTypeParameterDeclaration(node)) return;
    if (isField(node)) {
      if (isHidden(node)) return;
      const name = node.name?.getText() ?? '';
      here = `${at}.${name}`;
      if (!isTableEntry(name) && !hasComment(node)) bare.push(here);
    }
    ts.forEachChild(node, (child) => visit(child, here));
  };
  visit(declaration, path);
  return bare;
};

/** A constant has its comment before its statement. */
const toCommented = (node: ts.Declaration): ts.Node => (ts.isVariableDeclaration(node) ? node.parent.parent : node);

it('everything that is exported has a comment, and so has each of its fields', { timeout: TIMEOUT_MS }, () => {
  const program = ts.createProgram([join(folder, 'index.d.ts')], { noLib: true, types: [] });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(join(folder, 'index.d.ts'))!;
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)!);
  expect(exported.length).toBeGreaterThan(100);
  const bare = exported.flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (target.declarations ?? []).flatMap((declaration) => [
      ...(hasComment(toCommented(declaration)) ? [] : [symbol.name]),
      ...listBare(declaration, symbol.name),
    ]);
  });
  expect(bare).toEqual([]);
});

it('statuses and types of tasks are called by their names, never by bare numbers', async () => {
  const text = await readFile(join(folder, 'types.d.ts'), 'utf8');
  const fields = [...text.matchAll(/^ *(?:readonly )?(status|type|from|to)\??: ([^;]*)/gm)];
  expect(fields.length).toBeGreaterThan(100);
  expect(fields.map(([, , type]) => type!).filter((type) => /(^|[\s|(])\d+\b/.test(type))).toEqual([]);
  expect(text).toMatch(/^ *type: typeof TaskType\.SCREENSHOT;/m);
  expect(text).toMatch(/^ *status: HostStatus;/m);
});
