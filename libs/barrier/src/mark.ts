import type { JsonObject } from '#core';
import { readStoredJson } from '#core/json';
import type { Awaitable, BarrierContext } from '#ports';
import { StaleToken, Superseded } from './refusal.js';

/**
 * The record that a barrier keeps of one run of a step.
 *
 * - `open`: an attempt began; whether it had an effect is not known from the mark.
 * - `applied`: the effect is there and `output` is what it gave.
 * - `undoing`: the rollback came; the effect is barred but perhaps still there.
 * - `undone`: the rollback is through.
 */
export type MarkState = 'open' | 'applied' | 'undoing' | 'undone';

/** The mark of one (task, run). `token` is the newest fencing token seen. */
export interface Mark {
  readonly token: number;
  readonly state: MarkState;
  readonly output: JsonObject | null;
}

/** Marks that are read at a time. */
export const OLD_MARKS = 500;

/** A mark that nobody has touched for long, and its position among the others. */
export interface OldMark {
  readonly taskId: string;
  /** Milliseconds since 1970. */
  readonly touchedAt: number;
  /** Tells marks of one moment apart, and orders them. */
  readonly key: string;
}

/** Before all marks. */
const START: OldMark = { taskId: '', touchedAt: -1, key: '' };

/** The output as a mark has it, which was stored as JSON text. Throws `DocumentFault`. */
export function outputOfMark(text: string | null): JsonObject | null {
  return text === null ? null : (readStoredJson(text, 'the output of a mark') as JsonObject);
}

/** Whether a normal action may have its effect now, or had it. Throws a refusal. */
export function judgeForward(mark: Mark | null, context: BarrierContext): 'run' | 'done' {
  if (mark === null) return 'run';
  if (mark.state === 'undone' || mark.state === 'undoing') {
    throw new Superseded(context.taskId, context.run);
  }
  refuseStale(mark, context);
  return mark.state === 'applied' ? 'done' : 'run';
}

/** The work of a rollback: undo, bar an effect that never was, or nothing. Throws a refusal. */
export function judgeRollback(
  mark: Mark | null,
  context: BarrierContext,
): 'undo' | 'bar' | 'done' | 'open' {
  if (mark === null) return 'bar';
  refuseStale(mark, context);
  if (mark.state === 'undone') return 'done';
  return mark.state === 'open' ? 'open' : 'undo';
}

function refuseStale(mark: Mark, { fencingToken }: BarrierContext): void {
  if (fencingToken < mark.token) throw new StaleToken(fencingToken, mark.token);
}

/**
 * Ids of the tasks of old marks, in batches. `read` gives the next `OLD_MARKS` marks behind one, by
 * moment and key.
 */
export async function* tasksOfMarks(
  read: (behind: OldMark) => Awaitable<readonly OldMark[]>,
): AsyncGenerator<readonly string[]> {
  let behind: OldMark | undefined = START;
  while (behind !== undefined) {
    const marks: readonly OldMark[] = await read(behind);
    if (marks.length > 0) yield [...new Set(marks.map(({ taskId }) => taskId))];
    behind = marks.length < OLD_MARKS ? undefined : marks.at(-1);
  }
}
