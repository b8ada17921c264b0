import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Plugin } from 'vite';

const SOURCE = join(import.meta.dirname, '../src/style/theme-at-start.js');

/**
 * Puts the script that chooses day or night at the head of the page, as a file of its own that the browser waits for:
 * the policy of the page allows no script inside of it, and a module would come after the first paint.
 */
export const themeAtStart = (): Plugin => {
  const source = readFileSync(SOURCE, 'utf8')
    .replace(/\/\*\*[^]*?\*\//g, '')
    .trim();
  const fileName = `assets/theme-${createHash('sha256').update(source).digest('base64url').slice(0, 8)}.js`;
  return {
    name: 'berth-theme-at-start',
    apply: 'build',
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: () => [{ tag: 'script', attrs: { src: `./${fileName}` }, injectTo: 'head-prepend' }],
  };
};
