/**
 * Says when a statement changed that the simulation's store mirrors. What the comparison with PostgreSQL
 * (`differential.test.ts`) does not happen to reach would go on being simulated as it was.
 */
import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { listStatements } from '@berth/testing/simulation';
import { expect, it } from 'vitest';
import { statements } from './store/memory-database.ts';

const SNAPSHOT = fileURLToPath(new URL('store/mirrored-statements.txt', import.meta.url));

const toHash = (text: string): string => createHash('sha256').update(text.replaceAll(/\s+/g, ' ')).digest('hex');

it('mirrors the statements as they are', async () => {
  const texts = new Map(listStatements().map(({ name, text }) => [name, text]));
  const lines = Object.keys(statements)
    .sort()
    .map((name) => `${name} ${toHash(texts.get(name) ?? 'there is no such statement')}\n`);
  const message = 'a mirrored statement changed: see "How to change a statement" in CONTRIBUTING.md';
  await expect(lines.join(''), message).toMatchFileSnapshot(SNAPSHOT);
});
