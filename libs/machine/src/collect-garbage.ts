import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

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
