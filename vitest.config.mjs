import { defineConfig } from 'vitest/config';
import { isSlow, listTestFiles, SLOW } from './test/run/files.mjs';
import { listNeeds } from './test/run/programs.mjs';
import LongestFirst from './test/run/sequencer.mjs';

/** What `script/test` has chosen. A slow file that is named on the command line runs in any case. */
const { BERTH_TEST_SLOW: slow = '', BERTH_TEST_TIER: tier } = process.env;
const isNamed = process.argv.some((argument) => argument.includes(SLOW.replace('.test.ts', '')));

const isLeftOut = (path) => {
  if (isSlow(path)) return !isNamed && !slow.split(',').includes(path);
  return tier === 'slow';
};
const leftOut = listTestFiles().filter(isLeftOut);

const tags = listNeeds().map(({ name, isHere, install }) => ({ name, skip: !isHere, description: install }));

const shared = {
  pool: 'forks',
  exclude: ['**/node_modules/**', '**/dist/**', ...leftOut],
  // Several times what the slowest of them take beside other work: no test measures time.
  testTimeout: 180_000,
  hookTimeout: 180_000,
  tags,
};

/** Files that leave nothing behind in their process share it, and the modules that it has read. */
const folders = ['packages/*/test', 'apps/*/test', 'test/house'];
const parts = { name: 'parts', include: folders.map((folder) => `${folder}/**/*.test.ts`), isolate: false };
const whole = { name: 'whole', include: ['test/!(house)/**/*.test.ts'] };

export default defineConfig({
  test: {
    globalSetup: ['packages/testing/src/global-setup.ts'],
    // Tests wait for programs as long as they compute: one more than two cores can run.
    maxWorkers: 3,
    reporters: ['default', './test/run/summary-reporter.mjs'],
    sequence: { sequencer: LongestFirst },
    tags,
    projects: [{ test: { ...shared, ...parts } }, { test: { ...shared, ...whole } }],
  },
});
