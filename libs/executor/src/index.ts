export { attemptNow } from './attempt-scope.js';
export {
  Command,
  type CommandContext,
  type CommandMethod,
  type CommandOptions,
  type CommandResult,
} from './command.decorator.js';
export {
  RetryableError,
  type RetryableOptions,
  TerminalError,
  type TerminalOptions,
} from './command-error.js';
export {
  type CommandFault,
  type FaultFinder,
  type LeaveListener,
  timeIsOver,
} from './command-call.js';
export { stackOf } from './error-stack.js';
export { connectExecutors, createExecutorApp } from './connect-executors.js';
export {
  CompleteLater,
  completeLater,
  type CompleteLaterOptions,
  LookAgain,
  lookAgain,
} from './complete-later.js';
export { declaredCommands } from './parameters-schema.js';
export { Executor } from './executor.decorator.js';
export { ExecutorServer, type ExecutorServerOptions } from './executor.server.js';
export {
  type HeldResidue,
  KeepsMarks,
  type MarksMethod,
  ReportsResidue,
  type Residue,
  type ResidueMethod,
} from './side-method.js';
export { isHttpRefusal } from './shapes.js';
