/** How long each test file took when it ran last: for `--list`, and so that the next run begins with the longest. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './files.mjs';

const file = join(root, '.build/test-times.json');

/** @returns by path, `{ seconds, tests }`; nothing where no test has run yet */
export const readTimes = () => {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
};

/** Keeps what is known of files that did not run this time. */
export const writeTimes = (times) => {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify({ ...readTimes(), ...times }, null, 1)}\n`);
};
