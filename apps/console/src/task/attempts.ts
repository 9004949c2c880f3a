import type { TaskEvent } from '../api/shapes.js';

/** One start of a half of a step, as the events tell it. */
export interface Attempt {
  /** The same for every look at work that goes on elsewhere. */
  readonly number: number;
  /** ISO 8601; null: the entry is not in the journal any more. */
  readonly start: string | null;
  /** Null: it has not ended, or nobody saw how. */
  readonly end: string | null;
  /** The process that ran it; null: not known. */
  readonly executor: string | null;
  /** The kind of the event that ended it. */
  readonly outcome: string | null;
  readonly message: string | null;
  /** Where its error was thrown; null: it threw none, or the viewer may not see it. */
  readonly stack: string | null;
}

const ENDS = new Set([
  'succeeded',
  'failed',
  'timed_out',
  'lease_lost',
  'not_finished',
  'handed_back',
  'called_off',
]);

/** The half of a step that attempts are of. */
interface Half {
  /** The id of the run. */
  readonly run: string;
  readonly direction: string;
}

/** The attempts of a half of a step, the first first. */
export function attemptsOf(events: readonly TaskEvent[], half: Half): readonly Attempt[] {
  const attempts: Attempt[] = [];
  for (const event of events) {
    if (!isOf(event, half)) continue;
    if (event.kind === 'started') attempts.push(begun(event));
    else if (ENDS.has(event.kind)) endLast(attempts, event);
  }
  return attempts;
}

function isOf({ direction, run, step }: TaskEvent, half: Half): boolean {
  return (run ?? step) === half.run && direction === half.direction;
}

function begun({ actor, at, attempt }: TaskEvent): Attempt {
  const number = attempt ?? 1;
  const unknown = { end: null, outcome: null, message: null, stack: null };
  return { number, start: at, executor: actor, ...unknown };
}

/** An attempt whose start was left out of the journal is told by its end alone. */
function endLast(attempts: Attempt[], event: TaskEvent): void {
  const { at, attempt, kind, message = null, stack = null } = event;
  const last = attempts.at(-1);
  const end = { end: at, outcome: kind, message, stack };
  if (last?.end === null && (attempt ?? last.number) === last.number) {
    attempts[attempts.length - 1] = { ...last, ...end };
  } else if (attempt !== undefined) {
    attempts.push({ number: attempt, start: null, executor: null, ...end });
  }
}
