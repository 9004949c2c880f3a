#!/usr/bin/env node
/** The command line: of a package as it is, of a clone after it was made ready. */
import { existsSync } from 'node:fs';

const args = process.argv.slice(2);
if (existsSync(new URL('../libs', import.meta.url))) {
  const { runEntry } = await import('../scripts/entry.mjs');
  await runEntry('dist/apps/cli/src/main.js', args);
} else {
  await import('../dist/apps/cli/src/main.js');
}
