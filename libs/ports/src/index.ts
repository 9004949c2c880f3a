export type { AbortSignalLike } from './abort.js';
export type { Awaitable, Barrier, BarrierContext, Effect, Undo } from './barrier.js';
export type { Clock, Timer } from './clock.js';
export type {
  CommandCatalogue,
  CommandContext,
  CommandHandler,
  LeaveListener,
} from './command-handler.js';
export type { Entropy } from './entropy.js';
export { InvalidCursor, StoreUnavailable, TransportUnavailable } from './errors.js';
export type { ExecutorRecord, ExecutorRegistry } from './executor-registry.js';
export type { FlowStore } from './flow-store.js';
export type { Notice, Observer } from './observer.js';
export { sleepOn } from './sleep-on.js';
export type {
  Consumer,
  DeliveryHandler,
  DeliveryVerdict,
  QueueDepth,
  StepTransport,
} from './step-transport.js';
export type { CommitResult, InsertResult, TaskPage, TaskQuery, TaskStore } from './task-store.js';
