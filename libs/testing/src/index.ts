export { stepTransportContract } from './contracts/step-transport.js';
export type { TransportFixture } from './contracts/transport-fixture.js';
export { freshModule, stepDispatch } from './contracts/step-dispatch.js';
export { DEADLINE_MS, within } from './deadline.js';
export { Gate, Inbox, type Judge } from './inbox.js';
export { ManualClock, settle } from './manual-clock.js';
export { RecordingObserver } from './recording-observer.js';
export { SystemClock } from './system-clock.js';
