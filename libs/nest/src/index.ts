export { Command, type CommandMethod, type CommandResult } from './executor/command.decorator.js';
export type { CommandContext } from './executor/command-context.js';
export { RetryableError, type RetryableOptions, TerminalError } from './executor/command-error.js';
export { connectExecutors, createExecutorApp } from './executor/connect-executors.js';
export { Executor } from './executor/executor.decorator.js';
export { ExecutorServer, type ExecutorServerOptions } from './executor/executor.server.js';
export type { LeaveListener } from './executor/command-call.js';
export { LookAgain, lookAgain } from './executor/look-again.js';
