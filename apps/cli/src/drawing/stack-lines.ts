import { plainLine } from '#wording';
import type { TaskEvent } from '../client/types.js';
import type { Paint } from '../session.js';

/** Lines of a stack trace, indented below what they are about. */
export function stackLines(stack: string, paint: Paint): readonly string[] {
  if (stack === '') return [];
  return stack.split('\n').map((line) => {
    return paint.dim(`    ${/^\s/.test(line) ? '  ' : ''}${plainLine(line)}`);
  });
}

/**
 * The stack trace of the newest attempt that failed, with the step that it is of; none where that
 * step has succeeded since, where the caller does not see stack traces, or where the command threw
 * on purpose: the drawing has its message.
 */
export function lastStack(events: readonly TaskEvent[], paint: Paint): readonly string[] {
  const failed = events.findLast(({ kind }) => kind === 'failed');
  if (failed?.stack === undefined || failed.intended === true) return [];
  const isMended = events.some((event) => {
    return event.kind === 'succeeded' && event.seq > failed.seq && isOfSame(event, failed);
  });
  if (isMended) return [];
  const { attempt = 1, direction, run, step = '' } = failed;
  const half = direction === 'rollback' ? ' undo' : '';
  return ['', `${run ?? step}${half}, attempt ${attempt}:`, ...stackLines(failed.stack, paint)];
}

function isOfSame(one: TaskEvent, other: TaskEvent): boolean {
  return (one.run ?? one.step) === (other.run ?? other.step) && one.direction === other.direction;
}
