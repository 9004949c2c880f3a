import type { Direction, JsonObject, Outcome } from '#core';
import type { AbortSignalLike } from './time-and-chance.js';
import type { LineDetails } from './attempt-output.js';

/** Everything that a command receives about its attempt. */
export interface CommandContext {
  readonly taskId: string;
  readonly flow: string;
  /** Name of the step and its position in the task. */
  readonly step: string;
  readonly cursor: number;
  /**
   * Id of the step's run, unique in its task for ever: the step's name, and for a run after a reset
   * `name~2`, `name~3`. Effects are kept by it, never by the step's name.
   */
  readonly run: string;
  readonly direction: Direction;
  readonly module: string;
  readonly command: string;
  /** Request parameters, outputs of the steps before, constants of the flow; later ones win. */
  readonly parameters: JsonObject;
  /**
   * The outputs of the steps that this one needs, by their names; in a rollback, its own step's as
   * well. They are among `parameters` too, but no request can set a value here.
   */
  readonly results: Readonly<Record<string, JsonObject>>;
  /**
   * Rollback: what the normal action gave back; null where its outcome is unknown or it gave
   * nothing.
   */
  readonly output: JsonObject | null;
  /**
   * The same for every attempt of this action of this run: give it to whatever must not happen
   * twice.
   */
  readonly idempotencyKey: string;
  /** Rollback: the key that the normal action used. */
  readonly forwardKey: string;
  /**
   * Grows with every claim of the task: a participant refuses work that comes with an older one.
   */
  readonly fencingToken: number;
  /** 1 for the first start. */
  readonly attempt: number;
  /**
   * Whoever shows it may say how this attempt ended, once the command has said that it completes
   * later. A secret: hand it to whoever does the work, and to nobody else.
   */
  readonly completionToken: string;
  /**
   * W3C trace context for what the command calls: of this attempt where its process sends traces,
   * else that of the request that started the task. Null: there is none.
   */
  readonly traceparent: string | null;
  /** Milliseconds since 1970: the end of the time for all attempts. */
  readonly deadline: number;
  /** This attempt must be over by then; milliseconds since 1970, at most `deadline`. */
  readonly attemptDeadline: number;
  /**
   * Milliseconds left of this attempt, at least 0. Counted by the monotonic clock since the attempt
   * was claimed: a clock that is set changes nothing about it.
   */
  timeLeft(): number;
  /**
   * Aborted when the process's session has ended, the task no longer wants the step, or the time is
   * over.
   */
  readonly signal: AbortSignalLike;
  /**
   * Renews the process's session now and looks at the task; resolves to false when the right to run
   * was lost. Needed only by work that blocks the event loop.
   */
  heartbeat(): Promise<boolean>;
  /**
   * Writes a line about this attempt to the log of the process, with the task, step, run and
   * attempt that it is about, and keeps it with the attempt. Secrets that the attempt was given are
   * masked. Never throws.
   */
  log(message: string, details?: LineDetails): void;
  /**
   * Says how far the attempt is: 0 to 100, in words, and as a state that the command names, such
   * as `copying`. Takes the place of what was said before, is shown with the running step, and is
   * gone once the attempt has ended. Secrets are masked; a number outside is the nearest one
   * inside; of a state, characters other than A-Z, a-z, 0-9 and `._-` become `_`, and those after
   * the 64th go. Never throws.
   */
  progress(percent?: number | null, message?: string | null, state?: string | null): void;
}

/**
 * A listener that is called when the outcome was given while the command still runs, because it
 * ignores its signal. `ended` resolves when the command is over, and never rejects.
 */
export type LeaveListener = (ended: Promise<void>) => void;

/** Runs one attempt of one command. A thrown error counts as a retryable failure. */
export interface CommandHandler {
  /**
   * Members of its output that are sealed before they are kept; undefined: none. Whatever is put
   * around a handler must hand it on.
   */
  readonly secrets: readonly string[] | undefined;
  /** Answers at the attempt's deadline at the latest, whatever the command does. */
  run(context: CommandContext, onLeft?: LeaveListener): Promise<Outcome>;
}

/** The commands this process serves, by module. */
export interface CommandCatalogue {
  /** Modules with at least one command. */
  modules(): readonly string[];
  /** Names of a module's commands. */
  commands(module: string): readonly string[];
  /** JSON Schema of the parameters that a command takes; null: it does not say. */
  parametersOf(module: string, command: string): JsonObject | null;
  /** JSON Schema that the output of a command fits; null: it does not say. */
  outputOf(module: string, command: string): JsonObject | null;
  /** The handler, or undefined where this process has none of that name. */
  find(module: string, command: string): CommandHandler | undefined;
}
