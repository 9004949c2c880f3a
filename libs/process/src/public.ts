/**
 * `backstep`, as a package: what an author of executors needs and nothing else. Held name by name
 * in test/architecture/public-api.spec.ts, since what is here stays.
 */
export { SystemClock } from '#machine';
export { StoreUnavailable } from '#ports';
export { SecretNotFound, type SecretPlace, type SecretResolver, SecretStoreAway } from '#ports';
export type { Duration } from '#wording';
export { Command, type CommandMethod, type CommandOptions, type CommandResult } from '#executor';
export type { CommandContext } from '#executor';
export {
  RetryableError,
  type RetryableOptions,
  TerminalError,
  type TerminalOptions,
} from '#executor';
export { type CompleteLater, completeLater, type CompleteLaterOptions } from '#executor';
export { Executor } from '#executor';
export { KeepsMarks, type MarksMethod } from '#executor';
export { type LookAgain, lookAgain } from '#executor';
export { ReportsResidue, type Residue, type ResidueMethod } from '#executor';
export { type ExecutorProcess, runExecutor } from './run-executor.js';
export type { ProcessHandle } from './start-process.js';
