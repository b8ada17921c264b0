/** The README of the package names every method that there is, and no other. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Berth } from '../src/index.ts';

const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8');

const isGroup = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) !== Object.prototype;

/** `list`, `tokens.list` … of a group: its own methods, and those of the groups in it. */
const listMethods = (group: object): string[] => {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(group)).filter((name) => name !== 'constructor');
  const inner = Object.entries(group).filter(
    ([name, value]) => isGroup(value) && !['transport', 'changes'].includes(name),
  );
  return [
    ...own,
    ...inner.flatMap(([name, value]) => listMethods(value as object).map((method) => `${name}.${method}`)),
  ];
};

const berth = new Berth({ baseUrl: 'http://127.0.0.1:4000', token: '1|secret' });
const groups = Object.entries(berth).filter(([, value]) => isGroup(value));

it.each(groups)('The README names all methods of berth.%s and no other', (name, group) => {
  const row = readme.split('\n').find((line) => line.startsWith(`| \`berth.${name}\` |`)) ?? '';
  const named = [...row.split('|')[2]!.matchAll(/`([\w.]+)`/g)].map(([, method]) => method);
  expect(named.toSorted()).toEqual(listMethods(group as object).toSorted());
});
