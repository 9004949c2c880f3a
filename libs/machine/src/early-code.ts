import { setFlagsFromString } from 'node:v8';

/** Flags that have V8 look at a function after a seventh of what V8 itself waits for. */
interface EarlyFlags {
  /** The first and the last major version of V8 that has them. */
  readonly versions: readonly [number, number];
  readonly flags: readonly string[];
}

const EARLY: readonly EarlyFlags[] = [
  // Bytes of bytecode that a function runs: Node 20.
  { versions: [11, 11], flags: ['--interrupt-budget=10000'] },
  // Calls of a function: Node 22, 24 and 26.
  {
    versions: [12, 14],
    flags: [
      '--invocation-count-for-turbofan=430',
      '--invocation-count-for-maglev=60',
      '--minimum-invocations-after-ic-update=70',
    ],
  },
];

/**
 * Has functions compiled to machine code after a seventh of the calls. An executor that gets a few
 * messages a second goes through all of its code for each, and would interpret most of it for
 * minutes: from the end of a step to the start of the next one this takes a tenth off. Does nothing
 * with a version of V8 that may not know the flags: it would print an error for each.
 *
 * The standalone process does without: it warms up soon, and early code knows less of what it will
 * meet. Flags on the command line would be missing where Node is started by hand.
 */
export function compileEarly(): void {
  for (const flag of earlyFlagsOf(process.versions.v8)) setFlagsFromString(flag);
}

/** The flags for a version of V8, `13.6.233`; none for one that nobody has tried. */
export function earlyFlagsOf(version: string): readonly string[] {
  const major = Number.parseInt(version, 10);
  const known = EARLY.find(({ versions: [first, last] }) => first <= major && major <= last);
  return known?.flags ?? [];
}
