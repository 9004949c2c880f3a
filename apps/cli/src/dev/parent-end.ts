import type { Clock } from '#ports';

const LOOK_EVERY_MS = 250;

/** The traces of the parent that a program can see. */
interface Starter {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parent's id now. */
  readonly ppid: number;
}

/**
 * Resolves when the shell is gone in which npm runs a script: `npm start` that is told to stop ends
 * that shell, and what runs in it hears nothing. Never resolves where npm did not start it, since
 * such a program may outlive its parent.
 */
export function parentEnd(starter: Starter, clock: Pick<Clock, 'after'>): Promise<void> {
  if (starter.env['npm_lifecycle_event'] === undefined) return new Promise(() => undefined);
  const { ppid } = starter;
  return new Promise((resolve) => {
    const look = (): void => {
      if (starter.ppid === ppid) clock.after(LOOK_EVERY_MS, look);
      else resolve();
    };
    look();
  });
}
