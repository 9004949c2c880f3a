export { type Abort, createAbort } from './create-abort.js';
export { isFree, nextFreePort, type Place } from './free-port.js';
export { expectSocketPlace, listenOnSocket, type SocketFile } from './socket-file.js';
export {
  hearStopSignals,
  type SignalSource,
  type StopListener,
  type StopSignal,
} from './stop-signals.js';
export { newSecret } from './new-secret.js';
export { isGone, processHome } from './process-home.js';
export { SkippingClock } from './skipping-clock.js';
export { SystemClock } from './system-clock.js';
export { SystemEntropy } from './system-entropy.js';
export { abortable, NoAnswer, type WaitLimit, withinLimit } from './within-limit.js';
