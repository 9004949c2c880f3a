import type { RunningProcess } from '#process';
import { EXIT, type ExitCode } from '../exit.js';
import type { Session } from '../session.js';

/**
 * Resolves when the process listens, or to the exit code of a start that has said why it failed.
 * Throws what the session was ended with meanwhile: what is only starting has taken no work yet, so
 * there is nothing to drain.
 */
export async function whenStarted(
  { signal }: Session,
  started: Promise<RunningProcess | null>,
): Promise<RunningProcess | ExitCode> {
  const ended = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
  // Once it listens it hears signals by itself, and nobody waits for this any more.
  ended.catch(() => undefined);
  const running = await Promise.race([started, ended]);
  return running ?? ((process.exitCode ?? EXIT.endedOtherwise) as ExitCode);
}
