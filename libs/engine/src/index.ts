export { type Duties, Engine } from './engine.js';
export { ExecutorDirectory } from './executor-directory.js';
export { Loop, type LoopWork } from './loop.js';
export type { Foreseen, OperateResult, PersonsEvent } from './operate-task.js';
export type { AbortSource, EngineParts, EngineSettings } from './parts.js';
export type { Submitted } from './submit-task.js';
export { TaskWatch } from './task-watch.js';
export { TaskWriter, type WriteResult } from './task-writer.js';
export { LabelsFailed } from './flow-labels.js';
