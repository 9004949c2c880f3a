import type { ProcessHandle } from '#process';

/** The message of the child to the process that restarts it. */
export interface ChildReady {
  readonly ready: true;
}

/**
 * Tells the parent that this process listens, and stops it when the parent lets go of it or is
 * gone.
 */
export function tellParent(running: ProcessHandle): void {
  if (process.send === undefined) return;
  process.send({ ready: true } satisfies ChildReady);
  process.once('disconnect', () => {
    const leave = (code: number) => () => process.exit(code);
    running.stop().then(leave(0), leave(1));
  });
}
