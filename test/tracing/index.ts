export type { ReceivedSpan } from './otlp.js';
export { LOADED_FILE, type LoadedModule, PRELOAD } from './loaded-packages.js';
export { SpanReceiver } from './span-receiver.js';
