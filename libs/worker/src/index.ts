export { clipped } from './attempt-log.js';
export { Attempt, Stopped } from './attempt.js';
export type { WorkAnswer, WorkConnection, WorkRequest } from './connection.js';
export { type Outcome, WORKER_PROTOCOL, type WorkItem } from './protocol.js';
export { type Handler, Worker, type WorkElsewhere, WorkerRefused } from './worker.js';
