/** How a state is shown: never by colour alone. */
export interface Sign {
  readonly icon: string;
  readonly word: string;
  readonly colour: 'dim' | 'cyan' | 'green' | 'red' | 'yellow' | 'magenta';
}

const UNKNOWN_ICON = '?';

/** Of a step's normal half. */
export const NORMAL_SIGNS: Readonly<Record<string, Sign>> = {
  pending: { icon: '·', word: 'pending', colour: 'dim' },
  not_run: { icon: '·', word: 'not run', colour: 'dim' },
  queued: { icon: '○', word: 'queued', colour: 'dim' },
  running: { icon: '▸', word: 'running', colour: 'cyan' },
  waiting: { icon: '◌', word: 'waiting', colour: 'yellow' },
  succeeded: { icon: '✓', word: 'succeeded', colour: 'green' },
  failed: { icon: '✗', word: 'failed', colour: 'red' },
  timed_out: { icon: '✗', word: 'timed out', colour: 'red' },
  terminated: { icon: '■', word: 'terminated', colour: 'yellow' },
  skipped: { icon: '–', word: 'skipped', colour: 'dim' },
};

/** Of its rollback. */
export const ROLLBACK_SIGNS: Readonly<Record<string, Sign>> = {
  pending: { icon: '↩', word: 'to undo', colour: 'dim' },
  queued: { icon: '↩', word: 'queued', colour: 'dim' },
  running: { icon: '↩', word: 'undoing', colour: 'cyan' },
  waiting: { icon: '↩', word: 'waiting', colour: 'yellow' },
  succeeded: { icon: '↩', word: 'undone', colour: 'magenta' },
  failed: { icon: '✗', word: 'not undone', colour: 'red' },
  timed_out: { icon: '✗', word: 'not undone', colour: 'red' },
  skipped: { icon: '↩', word: 'by hand', colour: 'yellow' },
};

/** Of a task. */
export const TASK_SIGNS: Readonly<Record<string, Sign>> = {
  not_started: { icon: '·', word: 'not started', colour: 'dim' },
  running: { icon: '▸', word: 'running', colour: 'cyan' },
  rolling_back: { icon: '↩', word: 'rolling back', colour: 'yellow' },
  succeeded: { icon: '✓', word: 'succeeded', colour: 'green' },
  rolled_back: { icon: '↩', word: 'rolled back', colour: 'magenta' },
  rollback_failed: { icon: '✗', word: 'rollback failed', colour: 'red' },
  on_hold: { icon: '‖', word: 'on hold', colour: 'yellow' },
  paused: { icon: '‖', word: 'paused', colour: 'yellow' },
  terminated: { icon: '■', word: 'terminated', colour: 'yellow' },
};

/** The sign of a state; one that a newer server has made up is shown by its name. */
export function signOf(signs: Readonly<Record<string, Sign>>, state: string): Sign {
  return signs[state] ?? { icon: UNKNOWN_ICON, word: state.replaceAll('_', ' '), colour: 'dim' };
}

/** Seconds since 1970 as people and programs both read it. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}

/** A span of time for people: `38 ms`, `2.3 s`, `4m 05s`, `2h 05m`. */
export function spanText(ms: number): string {
  if (ms < 1_000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const seconds = Math.floor(ms / 1_000);
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${two(seconds % 60)}s`;
  return `${Math.floor(minutes / 60)}h ${two(minutes % 60)}m`;
}

function two(number: number): string {
  return `${number}`.padStart(2, '0');
}
