import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { listTrackedFiles, readText } from './repository.ts';

/** Lines of `sha256sum`: a digest, two spaces, a path. */
const LIST = 'test/house/released-migrations.sha256';

const toDigest = (text: string): string => createHash('sha256').update(text).digest('hex');

const released = readText(LIST)
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => line.split('  ') as [string, string]);

it(`migrations are never changed once they are listed in ${LIST}: a change is a new migration`, () => {
  const actual = released.map(([, path]) => [toDigest(readText(path)), path]);
  expect(actual).toEqual(released);
});

it('migrations are all listed, numbered without a gap', () => {
  const paths = listTrackedFiles().filter((path) => /^apps\/server\/migrations\/.+\.sql$/.test(path));
  expect(paths.sort()).toEqual(released.map(([, path]) => path));
  expect(paths.map((path) => Number(/\/(\d{6})_[a-z0-9_]+\.sql$/.exec(path)?.[1]))).toEqual(
    paths.map((_, index) => index + 1),
  );
});
