#!/usr/bin/env node
import { runEntry } from '../scripts/entry.mjs';

await runEntry('dist/apps/cli/src/main.js', process.argv.slice(2));
