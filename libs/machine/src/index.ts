export { type Abort, createAbort } from './create-abort.js';
export { SystemClock } from './system-clock.js';
export { SystemEntropy } from './system-entropy.js';
