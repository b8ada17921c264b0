import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['packages/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    globalSetup: ['packages/testing/src/global-setup.ts'],
    pool: 'forks',
    maxWorkers: 2,
    // Several times what the slowest of them take beside other work: no test measures time.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    reporters: ['default', './script/summary-reporter.mjs'],
  },
});
