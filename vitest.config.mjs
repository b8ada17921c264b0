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

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**', ...leftOut],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    pool: 'forks',
    // A file leaves nothing behind in its process, so the next one finds the modules there already.
    isolate: false,
    // Tests wait as long as they compute, so two cores have enough to do with four at a time.
    maxWorkers: 4,
    // Several times what the slowest of them take beside other work: no test measures time.
    testTimeout: 180_000,
    // They compile programs, perhaps several at once, on a core that others use.
    hookTimeout: 600_000,
    reporters: ['default', './test/run/summary-reporter.mjs'],
    sequence: { sequencer: LongestFirst },
    // Never `skip: false`: of a test with several tags, one that is there would undo what is missing.
    tags: listNeeds().map(({ name, isHere, install }) => ({
      name,
      description: install,
      ...(isHere ? {} : { skip: true }),
    })),
  },
});
