import { setFlagsFromString } from 'node:v8';

/**
 * Lets workers that start from now on have young generations of the sizes that they ask for by
 * `resourceLimits`: the size that Node was started with counts for the main thread, whose heap is
 * there already. V8 gives it to every later heap as well, and above what that one asks for.
 */
export function freeWorkerHeaps(): void {
  setFlagsFromString('--max-semi-space-size=0');
}
