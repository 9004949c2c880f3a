import type { ProcessHandle } from '#process';

/**
 * The message of the child to the process that restarts it: it listens, or it has said why it does
 * not start. A child that ends without either has crashed.
 */
export type ChildMessage = 'ready' | 'refused';

/**
 * Tells the parent that this process listens, and stops it when the parent lets go of it or is
 * gone.
 */
export function tellParent(running: ProcessHandle): void {
  if (process.send === undefined) return;
  process.send('ready' satisfies ChildMessage);
  process.once('disconnect', () => {
    const leave = (code: number) => () => process.exit(code);
    running.stop().then(leave(0), leave(1));
  });
}

/** Tells the parent that this process does not start, for a reason that it says itself. */
export async function tellRefusal(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (process.send === undefined) return resolve();
    process.send('refused' satisfies ChildMessage, undefined, undefined, () => resolve());
  });
}
