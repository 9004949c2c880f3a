import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Flags by which V8 is tuned, for the versions that have them. */
interface TuningFlags {
  /** The first and the last major version of V8. */
  readonly versions: readonly [number, number];
  readonly flags: readonly string[];
}

/** The aims of {@link compileEarly} and {@link inlineMore}. */
type Aim = 'early' | 'inlining';

const TUNING: Readonly<Record<Aim, readonly TuningFlags[]>> = {
  early: [
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
  ],
  // Bytes of bytecode: of one function, and of all that another one takes in. Node 20.
  inlining: [
    {
      versions: [11, 11],
      flags: ['--max-inlined-bytecode-size=1840', '--max-inlined-bytecode-size-cumulative=4000'],
    },
  ],
};

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
  for (const flag of tuningFlagsOf('early', process.versions.v8)) setFlagsFromString(flag);
}

/**
 * Lets machine code take in four times as much of the functions that it calls: the main thread of a
 * busy process needs 4 % less time for a task, and 5 % less for a request. It takes longer to
 * compile, and newer versions gain nothing by it: for those it does nothing.
 */
export function inlineMore(): void {
  for (const flag of tuningFlagsOf('inlining', process.versions.v8)) setFlagsFromString(flag);
}

/** The flags for a version of V8, `13.6.233`; none for one that nobody has tried. */
export function tuningFlagsOf(aim: Aim, version: string): readonly string[] {
  const major = Number.parseInt(version, 10);
  return TUNING[aim].find(({ versions: [from, to] }) => from <= major && major <= to)?.flags ?? [];
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
