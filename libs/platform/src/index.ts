export { combineObservers } from './combine-observers.js';
export { type Abort, createAbort } from './create-abort.js';
export { LogObserver } from './log-observer.js';
export { createLogger, type Logger, type LoggerOptions, type LogStream } from './logger.js';
export { PrometheusObserver, type PrometheusOptions } from './prometheus-observer.js';
export { SystemClock } from './system-clock.js';
export { SystemEntropy } from './system-entropy.js';
