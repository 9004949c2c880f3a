#!/usr/bin/env node
/** The command line: of a package as it is, of a clone after it was made ready. */
import { existsSync } from 'node:fs';
import module from 'node:module';

// Node 22 and newer keep compiled code between runs; older ones have no such thing.
module.enableCompileCache?.();

const args = process.argv.slice(2);
if (existsSync(new URL('../libs', import.meta.url))) {
  const { runEntry } = await import('../scripts/run.mjs');
  await runEntry('dist/apps/cli/src/main.js', args);
} else {
  await import('../dist/apps/cli/src/main.js');
}
