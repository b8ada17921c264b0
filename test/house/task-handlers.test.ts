import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { taskCatalogue } from '@berth/contract';
import { describe, expect, it } from 'vitest';
import { readText, rootDir } from './repository.ts';

const folder = 'apps/agent/src/platforms/metatrader/tasks';
const definitions = Object.values(taskCatalogue);
const toFile = (name: string): string => `${name.toLowerCase().replaceAll('_', '-')}.ts`;
const toHandler = (name: string): string =>
  name.toLowerCase().replaceAll(/_(\w)/g, (_match, letter: string) => letter.toUpperCase());

describe('every type of task', () => {
  it.each(definitions.map(({ name }) => name))('%s has one handler, in a file of its name', (name) => {
    const file = toFile(name);
    expect(existsSync(join(rootDir, folder, file)), file).toBe(true);
    const handlers = [...readText(`${folder}/${file}`).matchAll(/export const (\w+): TaskHandler<'(\w+)'>/g)];
    expect(handlers.map(([, handler, type]) => ({ handler, type }))).toEqual([
      { handler: toHandler(name), type: name },
    ]);
  });

  it('stands in the table of handlers under its own name', () => {
    const table = readText(`${folder}/index.ts`);
    for (const { name } of definitions) {
      const handler = toHandler(name);
      expect(table).toContain(`import { ${handler} } from './${toFile(name)}'`);
      expect(table).toMatch(new RegExp(`\\b${name}: ${handler}\\b`));
    }
  });
});
