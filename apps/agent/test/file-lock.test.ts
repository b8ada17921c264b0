import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { withFileLock } from '../src/launchers/wine/file-lock.ts';
import { bundle, run } from './support/programs.ts';
import { useFolder } from './support/use-folder.ts';

let folder: string;
let path: string;
useFolder((created) => {
  folder = created;
  path = join(folder, 'lock');
});

it('a lock lets one act at a time be done', async () => {
  let inside = 0;
  const act = async (index: number) => {
    inside += 1;
    expect(inside).toBe(1);
    await delay(5);
    inside -= 1;
    return index;
  };
  const all = Array.from({ length: 12 }, (_, index) => index);
  expect(await Promise.all(all.map((index) => withFileLock(path, () => act(index))))).toEqual(all);
});

it('a lock is free again after an act that failed', async () => {
  await expect(withFileLock(path, () => Promise.reject(new Error('no room')))).rejects.toThrow('no room');
  expect(await withFileLock(path, () => Promise.resolve('done'))).toBe('done');
});

it('a lock is free again when the agent that held it was killed', async () => {
  const programs = await bundle(['test/support/lock-main.ts']);
  try {
    const { child, ended } = run(join(programs.folder, 'lock-main.js'), {}, { args: [path] });
    await once(child.stdout!, 'data');
    const next = withFileLock(path, () => Promise.resolve('done'));
    child.kill('SIGKILL');
    expect(await next).toBe('done');
    expect(await ended).toBe('SIGKILL');
  } finally {
    programs.remove();
  }
});
