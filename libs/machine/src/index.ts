export {
  type Abort,
  abortable,
  createAbort,
  NoAnswer,
  type WaitLimit,
  withinLimit,
} from './within-limit.js';
export {
  expectSocketPlace,
  isFree,
  listenOnSocket,
  nextFreePort,
  type Place,
  type SocketFile,
} from './listening.js';
export {
  hearStopSignals,
  type SignalSource,
  type StopListener,
  type StopSignal,
} from './stop-signals.js';
export { newSecret, SystemEntropy } from './system-entropy.js';
export { isGone, processHome } from './process-home.js';
export { SkippingClock } from './skipping-clock.js';
export { SystemClock } from './system-clock.js';
