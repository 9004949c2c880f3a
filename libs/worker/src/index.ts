export { Attempt, Stopped } from './attempt.js';
export type { WorkAnswer, WorkConnection, WorkRequest, WorkRoute } from './connection.js';
export { type Direction, type Outcome, WORKER_PROTOCOL, type WorkItem } from './protocol.js';
export {
  type CommandTerms,
  type Handler,
  Worker,
  type WorkerOptions,
  WorkerRefused,
} from './worker.js';
