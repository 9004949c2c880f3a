export { combineObservers } from './combine-observers.js';
export { LogObserver } from './log-observer.js';
export { createLogger, type Logger, type LoggerOptions, type LogStream } from './logger.js';
export { PrometheusObserver, type PrometheusOptions } from './prometheus-observer.js';
