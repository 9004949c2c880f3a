import type { Clock } from '#ports';

/** A process's view of its parent. */
interface ParentView {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The parent's id now. */
  readonly ppid: number;
}

const LOOK_EVERY_MS = 1_000;

/**
 * Calls `gone` once when the parent of a process that npx started is gone. A signal to npx ends npx
 * and the shell between, and leaves the program running with nobody to stop it. A process that was
 * started otherwise may outlive its parent, as those of `nohup` and of shells do, and is not
 * watched.
 */
export function watchParent(view: ParentView, clock: Clock, gone: () => void): void {
  const { env, ppid } = view;
  if (env['npm_command'] !== 'exec' || env['npm_lifecycle_event'] !== 'npx') return;
  const look = (): void => {
    if (view.ppid === ppid) clock.after(LOOK_EVERY_MS, look);
    else gone();
  };
  clock.after(LOOK_EVERY_MS, look);
}
