import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const folder = join(import.meta.dirname, '../../apps/server/src');
const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const sources = files.map((name) => ({ name, text: readFileSync(join(folder, name), 'utf8') }));

describe('prepared statements', () => {
  it('stand in queries.ts of their resource or in a file of one statement group, never in routes', () => {
    const offenders = sources.filter(({ name, text }) => /routes\.ts$/.test(name) && /\bsql\(/.test(text));
    expect(offenders.map(({ name }) => name)).toEqual([]);
  });
});
