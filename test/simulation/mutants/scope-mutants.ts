import {
  type ActionRun,
  FAILURE_CODES,
  firstRunsOf,
  NOTHING_TO_UNDO,
  PENDING_RUN,
  type Scope,
  type StepPlan,
  type StepRuns,
  type Task,
} from '#core';
import { runIdOf, scopeAt, stepAt, stepsIn } from '#core/scopes';
import type { Mutant } from '../mutant.js';
import { stand } from './standing-mutants.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** A scope below the task in a commit. */
interface Met {
  readonly number: number;
  readonly scope: Scope;
  /** As it was before; undefined: it was entered just now. */
  readonly old: Scope | undefined;
  readonly steps: readonly StepPlan[];
}

/** Bugs of scopes: which way each goes, when it is tried again, and what is left of a try. */
export const SCOPE_MUTANTS: readonly Mutant[] = [
  {
    name: 'room-unlimited',
    bug: 'a step begins scopes for which its task has no room',
    ignoresRoom: true,
  },
  {
    name: 'no-room-to-go-back',
    bug: 'a task without room for more scopes does not undo its effects',
    edit: (_, next) => {
      const isFull = next.runs.some(({ normal }) => normal.code === FAILURE_CODES.TASK_TOO_LARGE);
      if (!isFull) return;
      for (const [place, { rollback }] of next.runs.entries()) {
        const isUndoable = stepAt(next, place)?.rollback;
        const isWaiting = rollback?.state === 'pending' || rollback?.state === 'queued';
        if (isUndoable && isWaiting) putRuns(next, place, { rollback: NOTHING_TO_UNDO });
      }
    },
  },
  {
    name: 'scope-undone-forward',
    bug: 'a group is undone from its first step on',
    edit: forScopes(({ scope, steps }, previous, next) => {
      if (scope.way !== 'back') return;
      const block = next.runs.slice(scope.first, scope.first + steps.length);
      const states = block.map(({ rollback }) => rollback?.state);
      const first = scope.first + states.indexOf('pending');
      const last = scope.first + states.indexOf('queued');
      const [one, other] = [next.runs[first]?.rollback, next.runs[last]?.rollback];
      if (first >= last || !one || !other || previous.runs[last]?.rollback === other) return;
      if (stepAt(next, first)?.group !== undefined || !states.includes('pending')) return;
      putRuns(next, first, { rollback: { ...one, state: 'queued', dispatches: 1, dueAt: 0 } });
      putRuns(next, last, { rollback: { ...other, state: 'pending', dispatches: 0, dueAt: null } });
    }),
  },
  {
    name: 'try-too-early',
    bug: 'a group is tried again as soon as it has failed, before it is undone',
    edit: forScopes(({ number, old, scope, steps }, _, next) => {
      const isTurned = scope.way === 'back' && old?.way === 'forward';
      if (!isTurned || steps.some(({ group }) => group !== undefined)) return;
      const { normal } = next.runs[scope.holder]!;
      const plan = stepAt(next, scope.holder);
      if (plan?.group === undefined || 'forEach' in plan.retry) return;
      if (normal.spent >= plan.retry.attempts) return;
      if (normal.state !== 'running' || scope.turned?.why !== 'step_failed') return;
      const again = { attempts: normal.attempts + 1, spent: normal.spent + 1, dueAt: null };
      putRuns(next, scope.holder, { normal: { ...normal, ...again }, rollback: NOTHING_TO_UNDO });
      for (const [index, fresh] of firstRunsOf(steps).entries()) {
        const isRoot = steps[index]?.needs.length === 0;
        putRuns(next, scope.first + index, isRoot ? { ...fresh, normal: QUEUED } : fresh);
      }
      putScope(next, number, { ...scope, round: scope.round + 1, way: 'forward', turned: null });
      (next as Editable<Task>).wakeAt = 0;
    }),
  },
  {
    name: 'clean-scope-forgotten',
    bug: 'a group that is undone does not tell its step, which is neither tried again nor failed',
    edit: forScopes(({ scope }, previous, next) => {
      const runs = next.runs[scope.holder];
      if (runs?.normal.state !== 'waiting') return;
      const before = previous.runs[scope.holder]?.normal;
      if (before?.state === 'running') putRuns(next, scope.holder, { normal: before });
    }),
  },
  {
    name: 'failed-group-goes-on',
    bug: 'a task does not go back when a group has failed for good',
    edit: (previous, next) => {
      const { steps } = next.plan;
      const failed = next.runs.slice(0, steps.length).findIndex(({ normal }, step) => {
        const isOver = normal.state === 'failed' || normal.state === 'timed_out';
        return isOver && normal !== previous.runs[step]?.normal;
      });
      if (steps[failed]?.group === undefined || previous.way === 'back') return;
      for (const step of steps.keys()) {
        if (step !== failed) putRuns(next, step, previous.runs[step]!);
      }
      stand(next, { way: 'forward', outcome: null });
    },
  },
  {
    name: 'undone-output-kept',
    bug: 'outputs of an undone try are given to the steps of the next one',
    edit: forScopes(({ old, scope, steps }, previous, next) => {
      if (old === undefined || old.round === 0 || scope.round <= old.round) return;
      const block = previous.runs.slice(old.first, old.first + steps.length);
      const values = Object.assign({}, ...block.map(({ normal }) => normal.output));
      const begun = next.runs.flatMap(({ normal }, place) => {
        return normal.state === 'pending' || place >= scope.first ? [] : [runIdOf(next, place)];
      });
      const edit = { at: 0, actor: 'nobody', values, before: {}, unseenBy: begun, winsIn: [] };
      (next as Editable<Task>).edits = [...next.edits, edit];
    }),
  },
  {
    name: 'group-timeout-ignored',
    bug: 'the time for all tries of a group has no end',
    edit: forScopes(({ scope }, previous, next) => {
      const runs = next.runs[scope.holder];
      if (runs === undefined || runs === previous.runs[scope.holder]) return;
      const { normal } = runs;
      if (normal.state !== 'running' || normal.deadline === null) return;
      putRuns(next, scope.holder, { normal: { ...normal, deadline: null, dueAt: null } });
    }),
  },
  {
    name: 'outside-goes-on',
    bug: 'after a rollback failed in a group, steps outside of it still start',
    edit: (previous, next) => {
      if (next.hold === null || previous.hold === null || next.way === 'back') return;
      const ready = next.runs.findIndex((_, place) => isReady(next, place));
      if (ready < 0) return;
      putRuns(next, ready, { normal: QUEUED });
      (next as Editable<Task>).wakeAt = 0;
    },
  },
  {
    name: 'round-not-counted',
    bug: 'the next try of a group has the ids of the one before',
    edit: forScopes(({ number, old, scope }, _, next) => {
      if (old === undefined || old.round === 0 || scope.round <= old.round) return;
      putScope(next, number, { ...scope, round: old.round });
    }),
  },
  {
    name: 'inner-scope-left',
    bug: 'a group is not called off when the scope around it goes back',
    edit: forScopes(({ number, old, scope, steps }, previous, next) => {
      if (scope.turned?.why !== 'called_off' || old?.way !== 'forward') return;
      putScope(next, number, old);
      putRuns(next, scope.holder, previous.runs[scope.holder]!);
      for (const index of steps.keys()) {
        putRuns(next, scope.first + index, previous.runs[scope.first + index]!);
      }
      (next as Editable<Task>).wakeAt = previous.wakeAt;
    }),
  },
  {
    name: 'group-not-undone',
    bug: 'a succeeded group counts as undone as soon as the scope around it goes back',
    edit: forScopes(({ number, old, scope, steps }, previous, next) => {
      if (scope.turned?.why !== 'undone' || old?.way !== 'forward') return;
      const rollback = next.runs[scope.holder]?.rollback;
      if (!rollback) return;
      putScope(next, number, old);
      putRuns(next, scope.holder, { rollback: { ...rollback, state: 'succeeded', dueAt: null } });
      for (const index of steps.keys()) {
        putRuns(next, scope.first + index, previous.runs[scope.first + index]!);
      }
      (next as Editable<Task>).wakeAt = 0;
    }),
  },
];

const QUEUED: ActionRun = { ...PENDING_RUN, state: 'queued', dispatches: 1, dueAt: 0, orderAt: 0 };

/** Changes what a commit made of each scope below the task. */
export function forScopes(
  change: (met: Met, previous: Task, next: Task) => void,
): NonNullable<Mutant['edit']> {
  return (previous, next) => {
    if (next.scopes.length === 0) return;
    for (const [number, scope] of next.scopes.entries()) {
      const old = previous.scopes[number];
      change({ number, scope, old, steps: stepsIn(next, number) }, previous, next);
    }
  };
}

/** Whether a command waits for nothing but the end of the hold. */
function isReady(task: Task, place: number): boolean {
  const step = stepAt(task, place);
  if (step === undefined || step.group !== undefined) return false;
  const scope = task.scopes[scopeAt(task, place)];
  const isForward = scope === undefined || (scope.way === 'forward' && scope.round > 0);
  const first = scope?.first ?? 0;
  const isPending = task.runs[place]?.normal.state === 'pending';
  return (
    isForward &&
    isPending &&
    step.needs.every((need) => task.runs[first + need]?.normal.state === 'succeeded')
  );
}

/** Puts other halves of a step into a document. */
export function putRuns(task: Task, place: number, halves: Partial<StepRuns>): void {
  const both = task.runs[place];
  // The list may be the one of the document before.
  if (both === undefined) return;
  (task as Editable<Task>).runs = task.runs.with(place, { ...both, ...halves });
}

/** Puts another scope into a document. */
export function putScope(task: Task, number: number, scope: Scope): void {
  (task as Editable<Task>).scopes = task.scopes.with(number, scope);
}
