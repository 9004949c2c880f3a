export { attemptNow } from './attempt-scope.js';
export {
  Command,
  type CommandMethod,
  type CommandOptions,
  type CommandResult,
} from './command.decorator.js';
export type { CommandContext } from './command-context.js';
export {
  RetryableError,
  type RetryableOptions,
  TerminalError,
  type TerminalOptions,
} from './command-error.js';
export { type CommandFault, type FaultFinder, timeIsOver } from './command-fault.js';
export { stackOf } from './error-stack.js';
export { connectExecutors, createExecutorApp } from './connect-executors.js';
export { CompleteLater, completeLater, type CompleteLaterOptions } from './complete-later.js';
export { declaredCommands } from './declared-commands.js';
export { Executor } from './executor.decorator.js';
export { ExecutorServer, type ExecutorServerOptions } from './executor.server.js';
export type { LeaveListener } from './command-call.js';
export { LookAgain, lookAgain } from './look-again.js';
export { KeepsMarks, type MarksMethod } from './marks.decorator.js';
export {
  type HeldResidue,
  ReportsResidue,
  type Residue,
  type ResidueMethod,
} from './residue.decorator.js';
export { isHttpRefusal } from './shapes.js';
