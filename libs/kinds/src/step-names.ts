import { type Fields, isFields } from './objects.js';
import { makingMember } from './table.js';

/**
 * Names of a list's steps, as the server gives them: as written, else after the command, or the
 * member that makes the step, made unique with `-2`, `-3`. Made-up names give way to written ones.
 */
export function stepNames(steps: readonly Fields[]): readonly string[] {
  const taken = new Set(steps.map(({ name }) => textOf(name)));
  taken.delete('');
  const counts = new Map<string, number>();
  return steps.map((step) => {
    const written = textOf(step['name']);
    if (written !== '') return written;
    const base = textOf(recordOf(step['normal'])['command']) || kindOf(step);
    const count = (counts.get(base) ?? 0) + 1;
    counts.set(base, count);
    const name = freeName(base, taken, count);
    taken.add(name);
    return name;
  });
}

/** A name that is not taken yet: with `-2`, `-3` where it has to be; `first` is tried first. */
export function freeName(base: string, taken: ReadonlySet<string>, first = 1): string {
  for (let count = first; ; count += 1) {
    const name = count === 1 ? base : `${base}-${count}`;
    if (!taken.has(name)) return name;
  }
}

/** The member that makes a step. */
export function kindOf(step: Fields): string {
  return makingMember(step) ?? 'normal';
}

/** The members of an object; none of anything else. */
export function recordOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** A text; nothing of anything else. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
