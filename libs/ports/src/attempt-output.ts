import type { Direction, JsonObject } from '#core';
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

/** The attempt of one action of a task: what its output is kept under. */
export interface AttemptPlace {
  readonly taskId: string;
  /** Name of its step. */
  readonly step: string;
  /** Id of its run. */
  readonly run: string;
  readonly direction: Direction;
  /** From 1 on. */
  readonly attempt: number;
}

/** Text that an attempt wrote. */
export interface OutputLine {
  /** Milliseconds since 1970, by the time of tasks. */
  readonly at: number;
  /** Absent: its author gave none. */
  readonly level?: LineLevel | undefined;
  /** Without secrets. One that has line breaks makes several lines. */
  readonly message: string;
}

/** How far an attempt is, as it says itself. */
export interface Progress {
  /** A state that its command names: 1 to 64 of A-Z, a-z, 0-9 and `._-`. */
  readonly state?: string | undefined;
  /** 0 to 100. */
  readonly percent?: number | undefined;
  readonly message?: string | undefined;
}

/**
 * Keeps what running attempts say: their lines, and how far they are. Stored soon after, in
 * batches: no method throws or waits, and none has an effect on the attempt.
 */
export interface AttemptOutput {
  /**
   * Adds lines, the oldest first. `dropped`: how many its author left out before them. Tells
   * whether lines of the attempt are missing by now, as far as is known here.
   */
  append(attempt: AttemptPlace, lines: readonly OutputLine[], dropped?: number): boolean;
  /** Takes the place of what the attempt said of its progress before. */
  progress(attempt: AttemptPlace, progress: Progress): void;
  /** The attempt is over: what is left of its lines is stored now, and its progress goes. */
  end(attempt: AttemptPlace): void;
}
