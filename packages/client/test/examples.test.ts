/** The examples of the README and of the comments: each compiles as written, and runs on a real server with hosts. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { withClient, useTestStack } from '@berth/testing';
import { listExamples, useExamples } from '@berth/testing/examples';
import { beforeAll, describe, expect, it } from 'vitest';

const TIMEOUT_MS = 300_000;
const home = join(import.meta.dirname, '..');
const root = join(home, '../..');

/** With the comment that stands before it. */
const EXPORTED_CLASS = /(?:^(\/\*\*(?:(?!\*\/)[^])*\*\/)\n)?^export class (\w+)/gm;

const sources = readdirSync(join(home, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => join(home, 'src', name));
const { examples, write, compile, run } = useExamples(
  'client-examples',
  [join(home, 'README.md'), ...sources].flatMap((path) => listExamples(relative(root, path))),
);

const stack = useTestStack();

beforeAll(async () => {
  const { token, user } = await stack.register('Ada Lovelace');
  await withClient(stack.databaseUrl, (client) =>
    client.query('update users set is_operator = true where id = $1', [user.id]),
  );
  for (const example of examples)
    write(example, (text) => text.replaceAll('http://127.0.0.1:4000', stack.url).replaceAll('<id>|<secret>', token));
}, TIMEOUT_MS);

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

  it.each(examples)('the examples do what they say: $place', (example) => run(example));
});
