import type { Edit, StepRuns, Task } from '#core';
import type { CommandContext } from '#ports';
import type { Mutant } from '../mutant.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of runs that have the same step, one after the other. */
export const RESET_MUTANTS: readonly Mutant[] = [
  {
    name: 'generation-not-counted',
    bug: 'a step that is reset keeps the generation that it had',
    edit: (previous, next) => {
      forRenewed(previous, next, (runs, before) => ({ ...runs, generation: before.generation }));
    },
  },
  {
    name: 'generation-skipped',
    bug: 'a reset counts two generations',
    edit: (previous, next) => {
      forRenewed(previous, next, (runs) => ({ ...runs, generation: runs.generation + 1 }));
    },
  },
  {
    name: 'retry-keeps-generation',
    bug: 'a step whose catch failed is retried without a new run',
    edit: (previous, next) => {
      const added = next.journal.entries().slice(previous.journalSeq - next.journalSeq);
      if (!added.some(({ kind }) => kind === 'retry_requested')) return;
      if (added.some(({ kind }) => kind === 'forward_again')) return;
      forRenewed(previous, next, (runs, before) => ({ ...runs, generation: before.generation }));
    },
  },
  {
    name: 'reset-without-undo',
    bug: 'a reset does not undo the steps that it concerns',
    edit: ({ turned: before }, next) => {
      const { turned } = next;
      if (turned?.why !== 'reset' || turned === before) return;
      editRuns(next, (runs) => {
        const { rollback } = runs;
        if (rollback?.state !== 'pending' && rollback?.state !== 'queued') return runs;
        return { ...runs, rollback: { ...rollback, state: 'skipped', dueAt: null, orderAt: null } };
      });
    },
  },
  {
    name: 'reset-renews-too-little',
    bug: 'a reset gives the last of the undone steps no new run',
    edit: (previous, next) => {
      const last = next.runs.findLastIndex((runs, step) => {
        return runs.generation > (previous.runs[step]?.generation ?? 1);
      });
      const before = previous.runs[last];
      if (before === undefined || next.runs[last]?.normal.state !== 'pending') return;
      (next.runs as StepRuns[])[last] = before;
    },
  },
  {
    name: 'key-without-generation',
    bug: 'a command gets the name of its step instead of the id of its run',
    command: (inner) => ({
      secrets: inner.secrets,
      run: (context, onLeft) => inner.run(namedAfterStep(context), onLeft),
    }),
  },
  {
    name: 'message-without-generation',
    bug: 'a message has the name of its step instead of the id of its run',
    namesNoGeneration: true,
  },
  {
    name: 'mark-reused',
    bug: 'participants keep one mark for all runs of a step',
    participant: 'no_generation',
  },
  {
    name: 'edit-seen-by-all',
    bug: 'runs that have begun see parameters that a person changes later',
    edit: (_, next) => {
      for (const edit of next.edits) (edit as Editable<Edit>).unseenBy = [];
    },
  },
];

/** Changes what a commit made of steps that it gave a new run. */
function forRenewed(
  previous: Task,
  next: Task,
  change: (runs: StepRuns, before: StepRuns) => StepRuns,
): void {
  editRuns(next, (runs, step) => {
    const before = previous.runs[step];
    const isNew = before !== undefined && runs.generation > before.generation;
    return isNew ? change(runs, before) : runs;
  });
}

function editRuns(task: Task, change: (runs: StepRuns, step: number) => StepRuns): void {
  const runs = task.runs as StepRuns[];
  for (const [step, both] of runs.entries()) runs[step] = change(both, step);
}

function namedAfterStep(context: CommandContext): CommandContext {
  return Object.create(context, { run: { value: context.step } }) as CommandContext;
}
