import { type ActionRun, type StepRuns, type Task, TASK_STATUS } from '#core';
import { transition } from '#core/transitions';
import { StoreUnavailable } from '#ports';
import type { Mutant, MutantView } from '../mutant.js';
import { overriding } from '../mutated-store.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of what is made of an attempt's outcome, and of what follows it. */
export const OUTCOME_MUTANTS: readonly Mutant[] = [
  {
    name: 'store-error-fails-step',
    bug: 'a step fails when its success could not be stored',
    store: (inner, view) =>
      overriding(inner, {
        commit: (previous, next) =>
          inner.commit(previous, next).catch((error: unknown) => {
            const failed =
              error instanceof StoreUnavailable ? failureOf(previous, next, view) : null;
            if (failed === null) throw error;
            return inner.commit(previous, failed).then(() => Promise.reject(error));
          }),
      }),
  },
  {
    name: 'timeout-without-effect',
    bug: 'a step that timed out counts as one without effect, and is not undone',
    edit: (previous, next) => {
      next.runs.forEach(({ normal, rollback }, step) => {
        if (normal.state !== 'timed_out' || previous.runs[step]?.normal === normal) return;
        if (rollback !== null)
          putRollback(next, step, { ...rollback, state: 'skipped', dueAt: null });
      });
    },
  },
  {
    name: 'expiry-ignored',
    bug: 'an action that has expired is started all the same',
    edit: (_, next) => {
      for (const { normal } of next.runs) {
        if (normal.state === 'queued') (normal as Editable<ActionRun>).expiresAt = null;
      }
    },
  },
  {
    name: 'failure-taken-for-refusal',
    bug: 'an attempt that failed counts as one that was refused before its command was entered',
    edit: (previous, next) => {
      next.runs.forEach(({ normal }, step) => {
        if (normal.state !== 'failed' || previous.runs[step]?.normal === normal) return;
        (normal as Editable<ActionRun>).refused = normal.attempts;
      });
    },
  },
  {
    name: 'undone-first-to-last',
    bug: 'the way back begins with the first step',
    edit: (previous, next) => {
      if (next.status !== TASK_STATUS.rolling_back) return;
      const states = next.runs.map(({ rollback }) => rollback?.state);
      const first = states.indexOf('pending');
      const last = states.indexOf('queued');
      const one = next.runs[first]?.rollback;
      const other = next.runs[last]?.rollback;
      if (!one || !other || first > last || previous.runs[last]?.rollback === other) return;
      putRollback(next, first, { ...one, state: 'queued', dispatches: 1, dueAt: other.dueAt });
      putRollback(next, last, { ...other, state: 'pending', dispatches: 0, dueAt: null });
    },
  },
  {
    name: 'retry-forgotten',
    bug: 'a step that waits for its next attempt sets no wakeAt',
    edit: (_, next) => {
      const waits = next.runs.some(({ normal }) => normal.state === 'waiting');
      if (waits) (next as Editable<Task>).wakeAt = null;
    },
  },
  {
    name: 'look-charged',
    bug: 'a look at unfinished work counts as an attempt',
    edit: (previous, next) => {
      next.runs.forEach(({ normal }, step) => {
        const before = previous.runs[step]?.normal;
        if (normal.state !== 'running' || before === normal || normal.look === 'none') return;
        if (before?.state === 'running') return;
        (normal as Editable<ActionRun>).spent += 1;
      });
    },
  },
  {
    name: 'lease-kept',
    bug: 'an attempt that failed keeps its lease',
    edit: (previous, next) => {
      next.runs.forEach(({ normal }, step) => {
        const before = previous.runs[step]?.normal;
        if (normal.state !== 'waiting' || before?.lease === undefined) return;
        (normal as Editable<ActionRun>).lease = before.lease;
      });
    },
  },
];

/** The document in which the step that was to succeed has failed. */
function failureOf(previous: Task, next: Task, { process }: MutantView): Task | null {
  const step = next.runs.findIndex(
    ({ normal }, index) =>
      normal.state === 'succeeded' && previous.runs[index]?.normal.state === 'running',
  );
  const token = previous.runs[step]?.normal.lease?.token;
  if (token === undefined) return null;
  const cause = { terminal: true, failure: 'FAILED', message: 'not stored' } as const;
  const { timing } = process.world.scenario;
  const moment = { now: process.clock.now(), chance: 0, timing };
  const event = { kind: 'failed', direction: 'normal', step, token, ...cause } as const;
  const decision = transition(previous, event, { moment });
  return decision.kind === 'moved' ? decision.task : null;
}

function putRollback(task: Task, step: number, rollback: ActionRun): void {
  const runs = task.runs as StepRuns[];
  const both = runs[step];
  if (both !== undefined) runs[step] = { ...both, rollback };
}
