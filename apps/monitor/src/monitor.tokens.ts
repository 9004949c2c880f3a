/** Injects what tells people about events. */
export const ANNOUNCER = Symbol('announcer');

/** Injects the events reported so far. */
export const EVENT_LOG = Symbol('event log');

/** Injects the file under the module. */
export const MONITOR_FILE = Symbol('monitor file');

/** Injects what Prometheus watches. */
export const TARGET_LIST = Symbol('target list');
