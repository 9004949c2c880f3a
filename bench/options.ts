import { parseArgs } from 'node:util';
import type { Deployment } from './benchmark.js';
import { FULL, QUICK, type Sizes, TURNS } from './sizes.js';

/** The parsed command line of the bench. */
export interface Options {
  readonly sizes: Sizes;
  readonly json: string | undefined;
  /** Parts of names; empty: all. */
  readonly only: readonly string[];
  readonly deployment: Deployment | undefined;
  readonly quick: boolean;
  readonly writeDocs: boolean;
  /** The folder of another build, beside which this one is measured; undefined: beside floors. */
  readonly before: string | undefined;
}

/** How the bench is used. */
export const USAGE = `usage: npm run bench -- [options]
  --json FILE                          write the results
  --only TEXT                          benchmarks whose name has this in it; may be repeated
  --deployment standalone|distributed  those of one deployment
  --rounds N                           rounds of each comparison (3; 20 with --before)
  --before FOLDER                      beside the build in another clone, in turns of a second
  --quick                              tiny sizes: shows that everything works, judges nothing
  --write-docs                         put the figures into docs/performance.md`;

/** Reads the command line. Throws a text for people. */
export function readOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      json: { type: 'string' },
      only: { type: 'string', multiple: true, default: [] },
      deployment: { type: 'string' },
      rounds: { type: 'string' },
      before: { type: 'string' },
      quick: { type: 'boolean', default: false },
      'write-docs': { type: 'boolean', default: false },
    },
  });
  const { before, deployment, json, only, quick, rounds } = values;
  if (deployment !== undefined && deployment !== 'standalone' && deployment !== 'distributed') {
    throw new Error(`--deployment is standalone or distributed, not ${deployment}`);
  }
  const whole = before === undefined ? FULL : TURNS;
  const sizes = quick ? QUICK : whole;
  const count = Number(rounds ?? sizes.rounds);
  if (!Number.isInteger(count) || count < 1) throw new Error(`--rounds is a number, not ${rounds}`);
  const writeDocs = values['write-docs'];
  if (before !== undefined && (json !== undefined || writeDocs)) {
    throw new Error('--before prints what it finds, and writes no file');
  }
  if (writeDocs && (quick || only.length > 0 || deployment !== undefined)) {
    throw new Error('--write-docs wants all benchmarks at their full sizes');
  }
  return { sizes: { ...sizes, rounds: count }, before, deployment, json, only, quick, writeDocs };
}
