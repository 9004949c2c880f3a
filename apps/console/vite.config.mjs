import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** The declarations of kinds of steps: the one library that the console shares with the server. */
const KINDS = fileURLToPath(new URL('../../libs/kinds/src/index.ts', import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  appType: 'spa',
  clearScreen: false,
  // Nothing of the machine's settings becomes part of the console.
  envFile: false,
  resolve: { alias: { '#kinds': KINDS } },
  oxc: { jsx: { runtime: 'automatic', importSource: 'preact' } },
  build: {
    target: 'es2022',
    sourcemap: false,
    // Everything is a file: the policy allows nothing that stands in a page.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    license: { fileName: 'licences.txt' },
  },
});
