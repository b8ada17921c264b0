import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Makes one file of a program of this folder, which any user can run. */
export const bundle = async (name: string, file: string): Promise<void> => {
  await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    outfile: file,
    bundle: true,
    format: 'esm',
    platform: 'node',
    // Some packages in it still ask for others in the old way.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'silent',
  });
};
