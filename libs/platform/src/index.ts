export { combineObservers } from './combine-observers.js';
export { CommandLines, createLogger, type Logger } from './logger.js';
export { entryMessage, LogObserver } from './log-observer.js';
export { PrometheusObserver } from './prometheus-observer.js';
export { quantileMs } from './statistics/durations.js';
export { type FlowCounter, REST } from './statistics/flow-counter.js';
export { SPAN_MS } from './statistics/span-counters.js';
export { StatisticsObserver } from './statistics/statistics-observer.js';
export { type StatisticsSum, sumStatistics } from './statistics/sum-statistics.js';
