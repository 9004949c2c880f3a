import { RpcException } from '@nestjs/microservices';
import { type Duration, parseDuration } from '#wording';
import { isErrorCode, KIND, type Kind } from './shapes.js';

/** Options of a command's error besides its message. */
export interface TerminalOptions extends ErrorOptions {
  /**
   * The name of the error in `catch` and `retry` of flows: capitals, digits and underscores, at
   * most 64 characters, such as `QUOTA`. None by default.
   */
  readonly code?: string;
  /**
   * The attempt was given up before it had any effect. A step whose attempts all had none is not
   * undone. Default: false, as an error may come after an effect.
   */
  readonly noEffect?: boolean;
}

/** Options of `RetryableError` besides its message. */
export interface RetryableOptions extends TerminalOptions {
  /** Try again after this, whatever the flow's retry policy says. A bare number is seconds. */
  readonly after?: Duration;
}

/**
 * An error that Nest's own exception layer hands on as it is: it takes `getError()` for the reply
 * of any `RpcException`, and logs none of them.
 */
abstract class CommandError extends RpcException {
  abstract readonly [KIND]: Kind;
  /** The name of the error in flows; undefined: it has none of its own. */
  readonly code: string | undefined;
  /** Nothing was done, so there is nothing to undo. */
  readonly noEffect: boolean;

  /** A code that no flow could name is in the message alone: the error keeps its kind. */
  constructor(message: string, options?: TerminalOptions) {
    const code = options?.code;
    const isNamed = code === undefined || isErrorCode(code);
    const fault = `${String(code)} is no code of an error (write capitals, such as QUOTA)`;
    super(isNamed ? message : `${fault}: ${message}`);
    if (options?.cause !== undefined) this.cause = options.cause;
    this.code = isNamed ? code : undefined;
    this.noEffect = options?.noEffect === true;
  }

  override getError(): this {
    return this;
  }
}

/** Thrown by a command: it has failed and trying again is pointless. */
export class TerminalError extends CommandError {
  override readonly name = 'TerminalError';
  readonly [KIND] = 'terminal';
}

/**
 * Thrown by a command: it has failed and may be tried again while the retry budget lasts. Any other
 * error means the same; this one can say when.
 */
export class RetryableError extends CommandError {
  override readonly name = 'RetryableError';
  readonly [KIND] = 'retryable';
  /** Milliseconds to wait; undefined: the retry policy decides. */
  readonly afterMs: number | undefined;

  constructor(message: string, options: RetryableOptions = {}) {
    super(message, options);
    this.afterMs = options.after === undefined ? undefined : parseDuration(options.after);
  }
}

/**
 * The parameters are not what the command's parameter class declares. Thrown by `ParametersPipe`
 * alone, so it says as well that the command was not entered and had no effect.
 */
export class InvalidParametersError extends CommandError {
  override readonly name = 'InvalidParametersError';
  readonly [KIND] = 'invalid_parameters';
}
