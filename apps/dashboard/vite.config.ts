import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';
import { packFiles } from './build/pack-files.ts';
import { themeAtStart } from './build/theme-at-start.ts';

export default defineConfig({
  // Files name each other relatively: the server writes the path of its public address into the page.
  base: './',
  plugins: [react(), tailwindcss(), themeAtStart(), packFiles()],
  build: {
    target: 'es2022',
    // No content inside of other files: what the page's policy allows then needs no `data:` for scripts and styles.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    // Names what belongs to each page: the test of its size reads it. The server serves it to nobody.
    manifest: true,
    // What every page loads is one file, and the router another: in several, each names what it gives to the others, and
    // is packed by itself.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'base', tags: ['$initial'] },
            { name: 'router', test: /node_modules[\\/]@tanstack[\\/][a-z-]*(router|history|store)/ },
          ],
        },
      },
    },
  },
});
