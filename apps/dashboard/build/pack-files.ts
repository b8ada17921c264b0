import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/** Fonts and images are packed already. */
const PACKABLE = /\.(js|css|svg|html)$/;

/** Writes `.br` and `.gz` beside each text of a build, so that the server packs nothing while it answers. */
export const packFiles = (): Plugin => ({
  name: 'berth-pack-files',
  apply: 'build',
  writeBundle({ dir }) {
    if (dir === undefined) return;
    for (const name of readdirSync(join(dir, 'assets')).filter((file) => PACKABLE.test(file))) {
      const path = join(dir, 'assets', name);
      const content = readFileSync(path);
      writeFileSync(`${path}.br`, brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } }));
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }));
    }
  },
});
