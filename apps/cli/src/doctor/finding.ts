import type { Settings } from '#settings';
import type { Clock } from '#ports';

/** The result of a check. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'broken';
  /** The facts that the check found. */
  readonly detail: string;
  /** Advice on how to repair it; empty where nothing is to be done. */
  readonly fix: string;
}

/** Inputs of the checks. */
export interface Patient {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Nothing is wrong. */
export function ok(check: string, detail: string): Finding {
  return { check, state: 'ok', detail, fix: '' };
}

/** Something is wrong, and how to mend it. */
export function broken(check: string, detail: string, fix: string): Finding {
  return { check, state: 'broken', detail, fix };
}

/** Something may become wrong. */
export function warning(check: string, detail: string, fix: string): Finding {
  return { check, state: 'warning', detail, fix };
}

/** The first line of an error; drivers add the history of their tries. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return (message || code || String(error)).split('\n')[0] ?? '';
}
