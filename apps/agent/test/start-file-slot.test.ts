import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { ConfinedFiles } from '@berth/kit';
import { expect, test } from 'vitest';
import { mt5StartFile } from '../src/platforms/metatrader/files/start-file.ts';
import { StartFileSlot } from '../src/platforms/metatrader/run/start-file-slot.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
useFolder((path) => (folder = path));

const openSlot = (path: string) => {
  const home = dirname(path);
  const startFile = { name: basename(path), insidePath: 'C:\\berth.ini' };
  return new StartFileSlot({ drive: new ConfinedFiles({ anchor: folder, home, root: home }), startFile }, mt5StartFile);
};
const credentials = { login: '5001', password: 'open sesame', server: 'Harbour-Demo' };

test('the password of a start file is there, for the owner only, until the file is retired', async () => {
  const path = join(folder, 'berth.ini');
  const slot = openSlot(path);
  await slot.write({ credentials, allowsAlgoTrading: true });
  expect(readFileSync(path, 'utf8')).toContain('open sesame');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  await slot.retire();
  expect(readFileSync(path, 'utf8')).toMatch(/taken out/);
  expect(readFileSync(path, 'utf8')).not.toContain('open sesame');
});

test('the password of a start file goes also where nothing new can be written, as on a full disk', async () => {
  // The longest name that a file can have leaves no name for a draft beside it.
  const path = join(folder, `${'b'.repeat(251)}.ini`);
  writeFileSync(path, 'Password=open sesame');
  await openSlot(path).retire();
  expect(readFileSync(path, 'utf8')).toBe('');
});

test('the password of a start file does not stay in the draft of an agent that was killed', async () => {
  writeFileSync(join(folder, 'berth.ini.0a1b2c3d.new'), 'Password=open sesame');
  writeFileSync(join(folder, 'other.ini'), '');
  await openSlot(join(folder, 'berth.ini')).remove();
  expect(readdirSync(folder)).toEqual(['other.ini']);
});

test('the password of a start file is taken out at the next occasion when it could not be before', async () => {
  const path = join(folder, 'away', 'berth.ini');
  const slot = openSlot(path);
  await expect(slot.retire()).rejects.toThrow('ENOENT');
  mkdirSync(join(folder, 'away'));
  writeFileSync(path, 'Password=open sesame');
  await slot.retire();
  expect(readFileSync(path, 'utf8')).not.toContain('open sesame');
});
