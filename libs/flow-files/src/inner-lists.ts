import type { JsonValue } from '#core';
import { isObject } from './json-document.js';
import { joinPointer } from './json-pointer.js';

/** The kinds of lists of steps, by the names that messages use. */
export type ListKind = 'flow' | 'group' | 'case' | 'branch' | 'loop' | 'foreach' | 'catch';

/** A list of steps that a written step holds. */
interface InnerList {
  readonly kind: ListKind;
  /** From the step to the list, RFC 6901. */
  readonly pointer: string;
  /** Mostly a list; whatever stands in its place. */
  readonly steps: JsonValue;
}

/** The lists of steps in a written step, in the order of its kinds. Takes any shape. */
export function* listsIn(step: JsonValue): Generator<InnerList> {
  if (!isObject(step)) return;
  const { catch: clauses, choice, foreach, group, loop, otherwise, parallel } = step;
  if (group !== undefined) yield { kind: 'group', pointer: '/group', steps: group };
  yield* listsUnder(choice, { kind: 'case', pointer: '/choice' });
  if (otherwise !== undefined) yield { kind: 'case', pointer: '/otherwise', steps: otherwise };
  if (isObject(parallel)) {
    for (const [name, steps = null] of Object.entries(parallel)) {
      yield { kind: 'branch', pointer: joinPointer('/parallel', name), steps };
    }
  }
  if (isObject(loop) && loop['steps'] !== undefined) {
    yield { kind: 'loop', pointer: '/loop/steps', steps: loop['steps'] };
  }
  if (isObject(foreach) && foreach['steps'] !== undefined) {
    yield { kind: 'foreach', pointer: '/foreach/steps', steps: foreach['steps'] };
  }
  yield* listsUnder(clauses, { kind: 'catch', pointer: '/catch' });
}

function* listsUnder(
  entries: JsonValue | undefined,
  { kind, pointer }: Omit<InnerList, 'steps'>,
): Generator<InnerList> {
  if (!Array.isArray(entries)) return;
  for (const [i, entry] of entries.entries()) {
    if (!isObject(entry) || entry['steps'] === undefined) continue;
    const at = joinPointer(joinPointer(pointer, i), 'steps');
    yield { kind, pointer: at, steps: entry['steps'] };
  }
}
