import { type ActionRun, type StepRuns, type Task, TASK_STATUS } from '#core';
import type { Mutant } from '../mutant.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of `transition`, put into its documents on their way to the store. */
export const DOCUMENT_MUTANTS: readonly Mutant[] = [
  {
    name: 'token-not-bumped',
    bug: 'a claim gets the token of the claim before',
    edit: (previous, next) => {
      if (next.token === previous.token || previous.token === 0) return;
      for (const run of changedRuns(previous, next)) {
        if (run.lease === null || run.lease.token <= previous.token) continue;
        (run.lease as Editable<typeof run.lease>).token = previous.token;
      }
      (next as Editable<Task>).token = previous.token;
    },
  },
  {
    name: 'journal-misnames',
    bug: 'the journal notes every start as a start of the first step',
    isInJournal: true,
    edit: ({ journal }, next) => {
      const step = next.plan.steps[0]?.name ?? '';
      for (const entry of next.journal.entries().slice(journal.length)) {
        if (entry.kind === 'started') (entry as Editable<typeof entry>).step = step;
      }
    },
  },
  {
    name: 'wake-forgotten',
    bug: 'a queued step sets no wakeAt',
    edit: (_, next) => {
      const isQueued = next.runs.some(({ normal }) => normal.state === 'queued');
      if (isQueued && next.wakeAt !== null) (next as Editable<Task>).wakeAt = null;
    },
  },
  {
    name: 'tally-kept',
    bug: 'the figures about its runs in a document are those of the document before',
    edit: (previous, next) => {
      if (previous.index === null || next.runs === previous.runs) return;
      (next as Editable<Task>).index = { ...previous.index, runs: next.runs };
    },
  },
  {
    name: 'budget-ignored',
    bug: 'failed attempts are not counted',
    edit: (previous, next) => {
      for (const run of changedRuns(previous, next)) {
        (run as Editable<ActionRun>).spent = 0;
      }
    },
  },
  {
    name: 'all-undone-at-once',
    bug: 'rollbacks do not wait for those of later steps',
    edit: (previous, next, { process }) => {
      if (next.runs === previous.runs || next.status !== TASK_STATUS.rolling_back) return;
      for (const { rollback } of next.runs) {
        if (rollback?.state !== 'pending') continue;
        const dueAt = process.clock.now();
        replace(next, rollback, { ...rollback, state: 'queued', dispatches: 1, dueAt });
        (next as Editable<Task>).wakeAt = dueAt;
      }
    },
  },
  {
    name: 'back-without-undoing',
    bug: 'a failed step counts as one without effect, and is not undone',
    edit: (previous, next) => {
      next.runs.forEach(({ normal, rollback }) => {
        if (normal.state !== 'failed' || rollback === null || previous.status === next.status)
          return;
        if (rollback.state !== 'pending' && rollback.state !== 'queued') return;
        replace(next, rollback, { ...rollback, state: 'skipped', dueAt: null });
      });
    },
  },
  {
    name: 'redispatch-storm',
    bug: 'the wait before a message is sent again does not grow',
    edit: (previous, next, { process }) => {
      for (const run of changedRuns(previous, next)) {
        if (run.state !== 'queued' || run.dispatches < 2) continue;
        (run as Editable<ActionRun>).dueAt = process.clock.now() + 100;
        (next as Editable<Task>).wakeAt = process.clock.now() + 100;
      }
    },
  },
];

function changedRuns(previous: Task, next: Task): readonly ActionRun[] {
  return next.runs.flatMap((runs, step) => {
    const old = previous.runs[step];
    const both = [runs.normal, ...(runs.rollback === null ? [] : [runs.rollback])];
    return both.filter(
      (run) => run !== old?.normal && run !== old?.rollback && !Object.isFrozen(run),
    );
  });
}

function replace(task: Task, run: ActionRun, by: ActionRun): void {
  const runs = task.runs as StepRuns[];
  runs.forEach((both, step) => {
    // Actions that have not begun share one object; they are replaced together.
    if (both.rollback === run) runs[step] = { ...both, rollback: by };
  });
}
