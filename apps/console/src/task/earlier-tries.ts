import type { Step, TaskEvent } from '../api/shapes.js';

/** A step that failed in a try of a group before the present one. */
interface FailedTry {
  /** Number of the try. */
  readonly name: string;
  /** Id of the run of the step in it. */
  readonly run: string;
  readonly message: string;
}

const FAILURES: ReadonlySet<string> = new Set(['failed', 'timed_out']);

/** Why the tries of a group before the present one failed, as far as the journal tells. */
export function earlierTries(
  { id, scopes = [] }: Pick<Step, 'id' | 'scopes'>,
  events: readonly TaskEvent[],
): readonly FailedTry[] {
  const present = scopes.find(({ kind }) => kind === 'try');
  if (present === undefined) return [];
  const last = new Map<string, FailedTry>();
  for (const { direction, kind, message, run, step } of events) {
    const of = run ?? step ?? '';
    if (!FAILURES.has(kind) || direction !== 'normal' || !of.startsWith(`${id}#`)) continue;
    const [name = ''] = of.slice(id.length + 1).split('/');
    if (name !== present.name) last.set(name, { name, run: of, message: message ?? '' });
  }
  return [...last.values()];
}
