export { mostOf } from './admission.js';
export { answerFor } from './answer-for.js';
export { type Duties, Engine } from './engine.js';
export { type SeenExecutor } from './executor-directory.js';
export { isAsOf } from './handed-secrets.js';
export { Loop } from './loop.js';
export type { Foreseen, OperateResult, PersonsEvent } from './operate-task.js';
export { noSuchChild, orderedEvent } from './children-order.js';
export type { AwaitedCommand } from './awaited-commands.js';
export type { AbortSource, EngineSettings, ProcessHomes } from './parts.js';
export { MarkSweep } from './mark-sweep.js';
export { WorkerNameTaken } from './worker-roster.js';
export { Retention, TaskRemoval } from './retention.js';
export { namesSealedIn, sealParameters } from './sealing.js';
export type { Submitted } from './submit-task.js';
export { instanceOf } from './session.js';
export type { TaskWriter } from './task-writer.js';
export type {
  AttemptWords,
  Heartbeat,
  HeartbeatAnswer,
  NextPoll,
  PollAnswer,
  OutputRules,
  PollOrder,
  ReportAnswer,
  WorkClaim,
  WorkDesk,
  WorkDirection,
  WorkerRegistration,
  WorkItem,
  WorkOutcome,
} from './work-desk.js';
