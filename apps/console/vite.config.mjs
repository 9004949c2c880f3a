import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vite';

/** React's packages are written against React; Preact stands in for it at a tenth of the size. */
const STAND_INS = {
  'react/jsx-runtime': 'preact/jsx-runtime',
  'react-dom/client': 'preact/compat/client',
  'react-dom': 'preact/compat',
  react: 'preact/compat',
};

/** The declarations of kinds of steps: the one library that the console shares with the server. */
const KINDS = fileURLToPath(new URL('../../libs/kinds/src/index.ts', import.meta.url));

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: '/console/',
  appType: 'spa',
  clearScreen: false,
  // Nothing of the machine's settings becomes part of the console.
  envFile: false,
  resolve: { alias: { ...STAND_INS, '#kinds': KINDS } },
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
