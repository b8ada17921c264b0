import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { RecordFile } from '../src/platforms/metatrader/record.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
useFolder((path) => (folder = path));

test('a record outlives the agent, and drafts of one that was killed do not', async () => {
  const path = join(folder, 'terminal.json');
  const record = await RecordFile.open(path, 'sandbox');
  await record.update({ shouldRun: true });
  writeFileSync(join(folder, 'terminal.json.0a1b2c3d.new'), '{"version":1');
  const reopened = await RecordFile.open(path, 'sandbox');
  expect(reopened.get().shouldRun).toBe(true);
  expect(readdirSync(folder)).toEqual(['terminal.json']);
});
