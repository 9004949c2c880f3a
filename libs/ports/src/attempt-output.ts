import type { Direction } from '#core';
import type { LineLevel } from './command-log.js';

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
