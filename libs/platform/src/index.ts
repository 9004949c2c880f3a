export { combineObservers } from './combine-observers.js';
export { CommandLines } from './command-lines.js';
export { entryMessage } from './entry-message.js';
export { LogObserver } from './log-observer.js';
export { createLogger, type Logger } from './logger.js';
export { PrometheusObserver } from './prometheus-observer.js';
