import { clipped, type Outcome } from '#worker';

/** The exit code by which a program asks to be tried again: EX_TEMPFAIL of `sysexits.h`. */
const TRY_AGAIN = 75;
/** The longest last line that is told with a failure, in bytes. */
const LAST_LINE_BYTES_MAX = 1_024;

/** How a program ended: by an exit code, or by a signal. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** The end of a program that did not succeed. */
interface FailedExit {
  readonly exit: Exit;
  /** The last line that it wrote; empty: it wrote none. */
  readonly lastLine: string;
  /** The flow forbids a second start. */
  readonly isOnce: boolean;
}

/** The outcome of a program with another exit code than 0. */
export function exitFailure({ exit: { code, signal }, isOnce, lastLine }: FailedExit): Outcome {
  const words = lastLine === '' ? '' : `: ${clipped(lastLine, LAST_LINE_BYTES_MAX)}`;
  if (code !== null) {
    const message = `the program ended with exit code ${code}${words}`;
    return { kind: 'fail', retryable: code === TRY_AGAIN, code: `EXIT_${code}`, message };
  }
  // It has not decided anything: that is for the flow, as when an executor dies.
  const message = `the program was ended by ${signal}${words}`;
  return { kind: 'fail', retryable: !isOnce, code: 'KILLED', message };
}
