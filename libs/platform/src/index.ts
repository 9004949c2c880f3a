export { combineObservers } from './combine-observers.js';
export { entryMessage } from './entry-message.js';
export { LogObserver } from './log-observer.js';
export { createLogger, type Logger, type LoggerOptions, type LogStream } from './logger.js';
export { PrometheusObserver, type PrometheusOptions } from './prometheus-observer.js';
