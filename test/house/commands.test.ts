/** What `script/update` and `script/test` promise. */
import { spawnSync } from 'node:child_process';
import { expect, it, test } from 'vitest';
import { listTrackedFiles, readText, rootDir } from './repository.ts';

test('script/update runs every test that writes a generated file', () => {
  const written = listTrackedFiles().filter(
    (path) => path.endsWith('.test.ts') && /\.toMatchFileSnapshot\(/.test(readText(path)),
  );
  const named = [...readText('script/update').matchAll(/^ +(test\/\S+\.test\.ts)/gm)].map(([, path]) => path);
  expect(named.toSorted()).toEqual(written.toSorted());
});

it.each([
  [['--titel', 'x'], "Unknown option '--titel'"],
  [['--al'], "Unknown option '--al'"],
  [['test/house', '--udpate'], "Unknown option '--udpate'"],
  [['--require', 'some'], '--require takes "all"'],
])('script/test refuses %j, and runs nothing', (args, reason) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['test/run/main.mjs', ...args], {
    cwd: rootDir,
    encoding: 'utf8',
  });
  expect([status, stdout]).toEqual([2, '']);
  expect(stderr).toContain(reason);
});
