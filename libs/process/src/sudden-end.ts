import { inspect } from 'node:util';
import { attemptNow } from '#executor';
import type { Logger } from '#platform';

/** Exit code of a process that an error ended. */
const FAILED = 1;

/** The end of a process, and whether it was asked for. */
interface Ending {
  readonly logger: Logger;
  /** Whether the process stops because it was told to. */
  isAskedFor: boolean;
}

/**
 * Ends the process at an error that nobody caught, and logs what ended it: that error, or the place
 * that called `process.exit`, each with the attempt whose command it came from.
 */
export function logSuddenEnds(ending: Ending): void {
  const { logger } = ending;
  const fail = (error: unknown): void => {
    ending.isAskedFor = true;
    const known = error instanceof Error ? error : new Error(inspect(error));
    const about = { event: 'unhandled_error', ...attemptPlace(), error: known };
    logger.error(about, 'an unhandled error ends the process');
    process.exit(FAILED);
  };
  process.on('unhandledRejection', fail);
  process.on('uncaughtException', fail);
  process.once('exit', (code) => {
    const stack = ending.isAskedFor ? undefined : callerOfExit();
    if (stack === undefined) return;
    const about = { event: 'process_exit', ...attemptPlace(), stack };
    logger.error(about, `a call of process.exit(${code}) ends the process`);
  });
}

/** The frames below the call of `process.exit`, whose listeners run within it; undefined: none. */
function callerOfExit(): string | undefined {
  const frames = new Error().stack?.split('\n') ?? [];
  const exit = frames.findLastIndex((frame) => /\bprocess\.exit\b/.test(frame));
  return exit < 0 ? undefined : frames.slice(exit + 1).join('\n');
}

function attemptPlace(): object {
  const attempt = attemptNow();
  if (attempt === undefined) return {};
  const { direction, run, step, taskId } = attempt;
  return { taskId, step, run, attempt: attempt.attempt, direction };
}
