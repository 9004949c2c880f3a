import { setFlagsFromString } from 'node:v8';

/**
 * Has everything begin its life in the young generation. When most objects of one place in the code
 * have outlived a few collections, as those of tasks under way can, V8 makes them in the old
 * generation from then on. There they are garbage a moment later and keep alive what they refer to,
 * so that each collection of the young takes several times as long until one of the old comes.
 */
export function startYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
