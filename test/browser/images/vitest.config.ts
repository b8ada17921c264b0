/** What `script/images` runs: it writes images and is no test, so that no other run takes it along. */
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('../../..', import.meta.url));

export default defineConfig({
  root,
  test: {
    include: ['test/browser/images/take-images.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    pool: 'forks',
    testTimeout: 600_000,
    hookTimeout: 180_000,
  },
});
