/** Injects what tells people about events. */
export const ANNOUNCER = Symbol('announcer');

/** Injects the events reported so far. */
export const EVENT_LOG = Symbol('event log');

/** Injects the loop that removes old events; null: they are kept for ever. */
export const EVENT_RETENTION = Symbol('event retention');

/** Injects what the module keeps, wherever that is. */
export const MONITOR_STORE = Symbol('monitor store');

/** Injects what Prometheus watches. */
export const TARGET_LIST = Symbol('target list');
