import type { ChildTally, JsonObject, Task } from '#core';
import { tallyAt } from '#core/children';
import type { Mutant } from '../mutant.js';
import { forScopes, putRuns, putScope } from './scope-mutants.js';

/** Bugs of retries and resets that leave child tasks as they are, and begin others again. */
export const RETRY_MUTANTS: readonly Mutant[] = [
  {
    name: 'done-begun-anew',
    bug: 'a retry of failed child tasks also starts succeeded ones again',
    edit: forScopes(({ number, old, scope }, _, next) => {
      const numbers = numbersOf(scope.values);
      if (scope.kind !== 'children' || numbers === null || numbersOf(old?.values) !== null) return;
      const all = countAt(next, scope.holder);
      const others = Array.from({ length: all }, (_item, item) => item).filter((item) => {
        return !numbers.includes(item);
      });
      const wrong = [...others, ...numbers].slice(0, numbers.length);
      putScope(next, number, { ...scope, values: { numbers: wrong.sort((a, b) => a - b) } });
    }),
  },
  {
    name: 'rounds-forgotten',
    bug: 'a step forgets the child tasks that it did not start again',
    edit: forScopes(({ scope }, previous, next) => {
      if (scope.kind !== 'children' || scope.way !== 'forward') return;
      const runs = next.runs[scope.holder];
      const tally = tallyAt(next, scope.holder);
      if (!runs || runs === previous.runs[scope.holder] || tally?.earlier === undefined) return;
      const { earlier: _, ...alone } = tally;
      putRuns(next, scope.holder, { normal: { ...runs.normal, values: alone } });
    }),
  },
  {
    name: 'one-begun-twice',
    bug: 'an item starts again before its former child task is undone',
    edit: forScopes(({ number, scope }, _, next) => {
      const { numbers, replaces } = scope.values ?? {};
      if (scope.kind !== 'children' || replaces === undefined || numbers === undefined) return;
      putScope(next, number, { ...scope, values: { numbers } });
    }),
  },
  {
    name: 'undone-still-counted',
    bug: 'a child task that was undone by itself counts as succeeded',
    edit: forScopes(({ old, scope }, _, next) => {
      const isNew = scope.values?.['replaces'] !== undefined && scope.values !== old?.values;
      const runs = next.runs[scope.holder];
      const tally = tallyAt(next, scope.holder);
      const last = tally?.earlier?.at(-1);
      if (scope.kind !== 'children' || !isNew || !runs || !tally?.earlier || !last) return;
      const more = { ...last, succeeded: last.succeeded + 1, failed: last.failed - 1 };
      const values = {
        ...tally,
        earlier: [...tally.earlier.slice(0, -1), more],
      } as unknown as JsonObject;
      putRuns(next, scope.holder, { normal: { ...runs.normal, values } });
    }),
  },
];

function numbersOf(values: JsonObject | null | undefined): readonly number[] | null {
  return (values?.['numbers'] ?? null) as readonly number[] | null;
}

/** How many items a step has. */
function countAt(task: Task, holder: number): number {
  const tally: ChildTally | null = tallyAt(task, holder);
  return tally?.earlier?.[0]?.total ?? 0;
}
