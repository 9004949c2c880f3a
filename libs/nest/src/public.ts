/**
 * `backstep`, as a package: what an author of executors needs and nothing else. Held name by name
 * in test/architecture/public-api.spec.ts, since what is here stays.
 */
export { SystemClock } from '#machine';
export { StoreUnavailable } from '#ports';
export type { Duration } from '#wording';
export {
  Command,
  type CommandMethod,
  type CommandOptions,
  type CommandResult,
} from './executor/command.decorator.js';
export type { CommandContext } from './executor/command-context.js';
export {
  RetryableError,
  type RetryableOptions,
  TerminalError,
  type TerminalOptions,
} from './executor/command-error.js';
export {
  type CompleteLater,
  completeLater,
  type CompleteLaterOptions,
} from './executor/complete-later.js';
export { Executor } from './executor/executor.decorator.js';
export { KeepsMarks, type MarksMethod } from './executor/marks.decorator.js';
export { type LookAgain, lookAgain } from './executor/look-again.js';
export { ReportsResidue, type Residue, type ResidueMethod } from './executor/residue.decorator.js';
export { type ExecutorProcess, runExecutor } from './runtime/run-executor.js';
export type { ProcessHandle } from './runtime/start-process.js';
