import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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

/**
 * Has everything begin its life in the young generation. When most objects of one place in the code
 * have outlived a few collections, as those of tasks under way can, V8 makes them in the old
 * generation from then on. There they are garbage a moment later and keep alive what they refer to,
 * so that each collection of the young takes several times as long until one of the old comes.
 */
export function startYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/**
 * Lets workers that start from now on have young generations of the sizes that they ask for by
 * `resourceLimits`: the size that Node was started with counts for the main thread, whose heap is
 * there already. V8 gives it to every later heap as well, and above what that one asks for.
 */
export function freeWorkerHeaps(): void {
  setFlagsFromString('--max-semi-space-size=0');
}

let collect: (() => void) | null = null;

/**
 * Collects all garbage of this thread now. The thread stands still for 20 to 60 ms meanwhile, so
 * call it only after making far more garbage than V8 expects.
 */
export function collectGarbage(): void {
  collect ??= exposed();
  collect();
}

/** V8 gives its collector only to contexts that are made while the flag is set. */
function exposed(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return () => gc();
}

/** Node keeps the answer that a connection is busy with here; null or absent: it has none. */
type HttpSocket = Socket & { readonly _httpMessage?: ServerResponse | null };

/** The answer that a connection of an HTTP server is busy with; null: there is none. */
export function answerOf(socket: Socket): ServerResponse | null {
  return (socket as HttpSocket)._httpMessage ?? null;
}
