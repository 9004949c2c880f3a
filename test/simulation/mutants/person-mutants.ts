import { TASK_STATUS, type ActionRun, type Task } from '#core';
import type { Mutant } from '../mutant.js';
import { overriding } from '../mutated-store.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs that persons would meet: what they asked for, and what they are told. */
export const PERSON_MUTANTS: readonly Mutant[] = [
  {
    name: 'persons-overruled',
    bug: 'a person’s action that lost its race is called done',
    store: (inner) =>
      overriding(inner, {
        commit: async (previous, next) => {
          const result = await inner.commit(previous, next);
          return isPersons(previous, next) ? 'committed' : result;
        },
      }),
  },
  {
    name: 'cancel-overwritten',
    bug: 'an outcome that lost its race against a person is stored over what the person did',
    store: (inner, { process, server }) =>
      overriding(inner, {
        commit: async (previous, next) => {
          const result = await inner.commit(previous, next);
          const stored = server.tasks.get(next.plan.taskId);
          if (result === 'committed' || stored === undefined) return result;
          if (!isPersons(next, stored) || isPersons(previous, next)) return result;
          const { journal, journalSeq, doneActions } = stored;
          const kept = { journal, journalSeq, doneActions, revision: stored.revision + 1 };
          server.overwrite({ ...next, ...kept }, process.owner);
          return 'committed';
        },
      }),
  },
  {
    name: 'alert-forgotten',
    bug: 'a failed rollback calls nobody',
    edit: (previous, next) => {
      const { rollback_failed: failed } = TASK_STATUS;
      if (next.status !== failed || previous.status === failed) return;
      (next as Editable<Task>).alert = null;
    },
  },
  {
    name: 'budget-shared',
    bug: 'what a step spent going forward is missing from the budget of its rollback',
    edit: (previous, next) => {
      next.runs.forEach(({ normal, rollback }, step) => {
        const before = previous.runs[step]?.rollback;
        if (rollback?.state !== 'running' || before?.startedAt !== null) return;
        (rollback as Editable<ActionRun>).spent += normal.spent;
      });
    },
  },
];

function isPersons(previous: Task, next: Task): boolean {
  return next.doneActions.length > previous.doneActions.length;
}
