import type { JsonObject } from '#core';
import type { CommandContext } from './command-handler.js';

/** How much a line of a command matters. */
export type LineLevel = 'debug' | 'info' | 'warn' | 'error';

/** Facts that a command logs beside the words of a line. */
export interface LineDetails {
  /** Default: `info`. */
  readonly level?: LineLevel;
  /** Anything that JSON can hold. An `Error` is written as its stack trace. */
  readonly [member: string]: unknown;
}

/** A line that a command logs about its attempt, without the secrets that it was given. */
export interface CommandLine {
  readonly level: LineLevel;
  readonly message: string;
  readonly details: JsonObject;
}

/** Takes the lines of commands. Must not throw and must not wait. */
export interface CommandLog {
  /** Whether lines of this level are wanted. */
  takes(level: LineLevel): boolean;
  write(attempt: Omit<CommandContext, 'parameters'>, line: CommandLine): void;
}
