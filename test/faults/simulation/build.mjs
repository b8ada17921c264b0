/** Bundles the simulation to .build/simulation/main.js: started without a test runner, it takes half the time. */
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const toPath = (path) => fileURLToPath(new URL(path, import.meta.url));

await build({
  entryPoints: [toPath('simulate-main.ts')],
  outfile: toPath('../../../.build/simulation/main.js'),
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  alias: {
    '@berth/testing/simulation': toPath('../../support/simulation-parts.ts'),
    uuid: toPath('world/virtual-ids.ts'),
  },
  external: ['pg', 'pg-native'],
  // Packages that are CommonJS ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
  },
  logLevel: 'warning',
});
