import { defineConfig } from 'vitest/config';
import { listNeeds } from './test/run/programs.mjs';

/**
 * The fixed list: what `script/test` and `.ci/run` run, the same each time. Everything else runs with `script/test --all`.
 * A file that ends in `.slow.test.ts` is not on the list, wherever it lies.
 */
const GATE = [
  '{packages,apps}/*/test/**/!(*.slow).test.ts',
  'test/house/!(*.slow).test.ts',
  'test/faults/simulation/!(*.slow).test.ts',
  'test/e2e/{main-job,api-examples}.test.ts',
  'test/security/{abilities,api,bodies,contents,limits,rights,secrets,sizes}.test.ts',
  'test/operations/{upgrade,backup}.test.ts',
  'test/browser/{signing-in,creating,keyboard}.test.ts',
  'test/wine/main-job.test.ts',
];
const ALL = ['{packages,apps}/*/test/**/*.test.ts', 'test/**/*.test.ts'];
const SLOW = process.env.BERTH_TEST_WITHOUT_SLOW === '1' ? ['**/*.slow.test.ts'] : [];
const NEVER = ['**/node_modules/**', '**/dist/**', ...SLOW];

const shared = {
  pool: 'forks',
  // A file leaves nothing behind in its process, so the next one finds the modules there already.
  isolate: false,
  // Several times what the slowest of them take beside other work: no test measures time.
  testTimeout: 180_000,
  // They compile programs, perhaps several at once, on a core that others use.
  hookTimeout: 600_000,
  setupFiles: ['test/run/fast-check.ts'],
  // Never `skip: false`: of a test with several tags, one that is there would undo what is missing.
  tags: listNeeds().map(({ name, isHere, install }) => ({
    name,
    description: install,
    ...(isHere ? {} : { skip: true }),
  })),
};

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    // Tests wait as long as they compute, so two cores have enough to do with four at a time.
    maxWorkers: 4,
    // The order is that of the sizes of the files, not of the times of the last run.
    cache: false,
    projects: [
      { test: { ...shared, name: 'gate', include: GATE, exclude: NEVER } },
      { test: { ...shared, name: 'rest', include: ALL, exclude: [...NEVER, ...GATE] } },
    ],
  },
});
