/**
 * Writes types out in full. The client's types are derived from the schemas of the contract, which users of the client
 * does not have: so its package states what comes out of the derivation, and nothing of how.
 */
import ts from 'typescript';
import { findComment } from './field-comments.mjs';

const MAX_DEPTH = 12;
const PLAIN =
  ts.TypeFlags.Any |
  ts.TypeFlags.Unknown |
  ts.TypeFlags.StringLike |
  ts.TypeFlags.NumberLike |
  ts.TypeFlags.BooleanLike |
  ts.TypeFlags.Null |
  ts.TypeFlags.Undefined |
  ts.TypeFlags.NonPrimitive |
  ts.TypeFlags.Never;

const isIdentifier = (name) => /^[A-Za-z_$][\w$]*$/.test(name);

/** Prints types; those that have a name of their own among the exports are called by it. */
class TypeWriter {
  constructor(checker, anchor, names, tables) {
    this.checker = checker;
    this.anchor = anchor;
    this.names = names;
    /** Unions of texts or numbers that have a name, the longest first: by it they are called within longer ones, too. */
    this.unions = [...names]
      .filter(([type]) => type.isUnion() && type.types.every((part) => part.isLiteral()))
      .map(([type, name]) => ({ name, parts: type.types.map((part) => checker.typeToString(part)) }))
      .filter(({ parts }) => parts.length > 2)
      .sort((left, right) => right.parts.length - left.parts.length);
    this.tables = tables;
  }

  write(type, depth = 0) {
    const name = depth > 0 ? this.names.get(type) : undefined;
    if (name) return name;
    if (depth > MAX_DEPTH) throw new Error(`A type of the client is deeper than ${MAX_DEPTH} levels.`);
    if (type.flags & PLAIN && !(type.flags & ts.TypeFlags.Enum)) return this.checker.typeToString(type);
    if (type.isUnion()) return this.#writeUnion(type, depth);
    if (this.checker.isArrayType(type)) return this.#writeArray(type, depth);
    if (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) return this.#writeObject(type, depth);
    throw new Error(`A type of the client cannot be written out: ${this.checker.typeToString(type)}`);
  }

  #writeUnion(type, depth) {
    const parts = new Set(type.types.map((part) => this.write(part, depth + 1)));
    for (const union of depth > 0 ? this.unions : []) {
      // A range of numbers means what the field says: statuses are called by the table that has the same ones.
      const isMeant =
        typeof type.types.find((part) => part.isLiteral())?.value !== 'number' || isSame(parts, union.parts);
      if (!isMeant || !union.parts.every((part) => parts.has(part))) continue;
      for (const part of union.parts) parts.delete(part);
      parts.add(union.name);
    }
    if (parts.delete('true') && parts.delete('false')) parts.add('boolean');
    return [...parts].join(' | ');
  }

  #writeArray(type, depth) {
    const [item] = this.checker.getTypeArguments(type);
    const isReadonly = type.symbol.name === 'ReadonlyArray';
    return `${isReadonly ? 'readonly ' : ''}(${this.write(item, depth + 1)})[]`;
  }

  #writeObject(type, depth) {
    const indexes = this.checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type: value }) => `[name: ${this.write(keyType)}]: ${this.write(value, depth + 1)};`);
    const fields = this.checker.getPropertiesOfType(type).map((property) => this.#writeField(property, depth));
    const members = [...indexes, ...fields];
    return members.length > 0 ? `{ ${members.join(' ')} }` : 'Record<string, never>';
  }

  #writeField(property, depth) {
    const isOptional = (property.flags & ts.SymbolFlags.Optional) !== 0;
    const isReadonly = (ts.getCheckFlags(property) & ts.CheckFlags.Readonly) !== 0;
    const name = isIdentifier(property.name) ? property.name : JSON.stringify(property.name);
    const written = this.checker.getTypeOfSymbolAtLocation(property, this.anchor);
    const text = this.#findTableName(property.name, written) ?? this.write(written, depth + 1);
    const isUndefinedStated = /(^|\| )undefined$/.test(text);
    const value = isOptional && !isUndefinedStated ? `${text} | undefined` : text;
    const comment = toComment(findComment(property, this.checker));
    return `\n${comment}${isReadonly ? 'readonly ' : ''}${name}${isOptional ? '?' : ''}: ${value};`;
  }

  /** The type of a task of one type is called by its name, too. */
  #findTableName(field, type) {
    if (field !== 'type' || !type.isNumberLiteral()) return undefined;
    const entry = this.tables.TaskType?.find(([, value]) => value === type.value);
    return entry && `typeof TaskType.${entry[0]}`;
  }
}

/** The numbers among the parts are as many as those of the union. */
const isSame = (parts, union) => [...parts].filter((part) => /^-?\d/.test(part)).length === union.length;

const toComment = (text) => (text ? `/** ${text.replaceAll('*/', '*').replaceAll('\n', '\n * ')} */\n` : '');

const toEntries = (checker, type) =>
  checker.getPropertiesOfType(type).map((property) => [property.name, checker.getTypeOfSymbol(property).value]);

/**
 * The declarations of a module whose exports are types and tables.
 * @returns the text of a `.d.ts` that imports nothing
 */
export const writeTypes = (program, path) => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(path);
  const exported = checker.getExportsOfModule(checker.getSymbolAtLocation(source)).map((symbol) => ({
    name: symbol.name,
    comment: toComment(findComment(symbol, checker)),
    isTypeOnly: symbol.declarations.some(ts.isTypeOnlyImportOrExportDeclaration),
    target: symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol,
  }));
  const isType = ({ flags }) => (flags & ts.SymbolFlags.Type) !== 0;
  const isObject = (type) => (type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Union)) !== 0;
  const types = exported.filter(({ target }) => isType(target));
  const named = types.map(({ name, target }) => [checker.getDeclaredTypeOfSymbol(target), name]);
  const names = new Map(named.filter(([type]) => isObject(type)).reverse());
  const tables = Object.fromEntries(
    exported
      .filter(({ target, isTypeOnly }) => target.valueDeclaration && !isTypeOnly)
      .map(({ name, target }) => [name, toEntries(checker, checker.getTypeOfSymbol(target))]),
  );
  const writer = new TypeWriter(checker, source, names, tables);
  const lines = exported.flatMap(({ name, comment, target, isTypeOnly }) => {
    const value =
      target.valueDeclaration && !isTypeOnly
        ? [`${comment}export declare const ${name}: ${writer.write(checker.getTypeOfSymbol(target))};`]
        : [];
    const declared = checker.getDeclaredTypeOfSymbol(target);
    return isType(target) ? [...value, `${comment}export type ${name} = ${writer.write(declared)};`] : value;
  });
  return `${lines.join('\n')}\n`;
};
