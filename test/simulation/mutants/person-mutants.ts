import { isFinal, TASK_STATUS, type ActionRun, type Task } from '#core';
import type { Mutant } from '../mutant.js';
import { overriding } from '../mutated-store.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs that persons would meet: what they asked for, and what they are told. */
export const PERSON_MUTANTS: readonly Mutant[] = [
  {
    name: 'persons-overruled',
    bug: 'a person’s action that lost its race is reported as done',
    store: (inner) =>
      overriding(inner, {
        commit: async (previous, next) => {
          const result = await inner.commit(previous, next);
          // Messages about what it queued would betray it before anybody asks for what was told.
          return isPersons(previous, next) && !queues(next) ? 'committed' : result;
        },
      }),
  },
  {
    name: 'cancel-overwritten',
    bug: 'an outcome that lost its race against a person overwrites the person’s action',
    store: overwriting(({ previous, next, stored }) => {
      return isPersons(next, stored) && !isPersons(previous, next);
    }),
  },
  {
    name: 'end-overwritten',
    bug: 'an outcome that lost its race against the end of its task overwrites that end',
    store: overwriting(({ stored }) => isFinal(stored.status)),
  },
  {
    name: 'alert-forgotten',
    bug: 'a failed rollback raises no alert',
    edit: (previous, next) => {
      const { rollback_failed: failed } = TASK_STATUS;
      if (next.status !== failed || previous.status === failed) return;
      (next as Editable<Task>).alert = null;
    },
  },
  {
    name: 'budget-shared',
    bug: 'forward attempts of a step reduce the budget of its rollback',
    edit: (previous, next) => {
      next.runs.forEach(({ normal, rollback }, step) => {
        const before = previous.runs[step]?.rollback;
        if (rollback?.state !== 'running' || before?.startedAt !== null) return;
        (rollback as Editable<ActionRun>).spent += normal.spent;
      });
    },
  },
];

/** The write that lost a race, and the task that is stored instead. */
interface Race {
  readonly previous: Task;
  readonly next: Task;
  readonly stored: Task;
}

/** Stores what lost its race all the same, where it is wanted. */
function overwriting(isWanted: (race: Race) => boolean): NonNullable<Mutant['store']> {
  return (inner, { process, server }) =>
    overriding(inner, {
      commit: async (previous, next) => {
        const result = await inner.commit(previous, next);
        const stored = server.tasks.get(next.plan.taskId);
        if (result === 'committed' || stored === undefined) return result;
        if (!isWanted({ previous, next, stored })) return result;
        const { journal, journalSeq, doneActions } = stored;
        const kept = { journal, journalSeq, doneActions, revision: stored.revision + 1 };
        server.overwrite({ ...next, ...kept }, process.owner);
        return 'committed';
      },
    });
}

function queues({ runs }: Task): boolean {
  return runs.some((both) => both.normal.state === 'queued' || both.rollback?.state === 'queued');
}

function isPersons(previous: Task, next: Task): boolean {
  return next.doneActions.length > previous.doneActions.length;
}
