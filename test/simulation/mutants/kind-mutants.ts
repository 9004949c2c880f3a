import {
  type ChildTally,
  type EventOf,
  isActive,
  type Scope,
  type StepPlan,
  type Task,
  type TaskEvent,
} from '#core';
import { tallyAt } from '#core/children';
import { actionOf, nextAttempt, scopeAt, stepAt, wantsAction } from '#core/scopes';
import { transition } from '#core/transitions';
import { waitsInBranch } from '../../fuzz/branch-waits.js';
import type { Mutant, MutantView } from '../mutant.js';
import { overriding } from '../mutated-store.js';
import { SIGNAL } from '../random-program.js';
import { forScopes, putRuns, putScope } from './scope-mutants.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of the kinds of steps: what is undone of each, what is counted, what happens once. */
export const KIND_MUTANTS: readonly Mutant[] = [
  {
    name: 'round-not-undone',
    bug: 'a round of a loop counts as undone before it is undone',
    edit: forgettingUndoOf('round'),
  },
  {
    name: 'branch-not-undone',
    bug: 'a finished branch counts as undone before it is undone',
    edit: forgettingUndoOf('branch'),
  },
  {
    name: 'branch-waits-for-nobody',
    bug: 'a branch that failed is undone before the others ended',
    edit: (_, next) => {
      const place = next.runs.findLastIndex(({ normal, rollback }, at) => {
        if (rollback?.state !== 'pending' || isActive(normal)) return false;
        return stepAt(next, at)?.normal !== undefined && waitsInBranch(next, scopeAt(next, at));
      });
      const rollback = next.runs[place]?.rollback;
      if (!rollback) return;
      const early = { ...rollback, state: 'queued', dispatches: 1, dueAt: 0, orderAt: 0 } as const;
      putRuns(next, place, { rollback: early });
      (next as Editable<Task>).wakeAt = 0;
    },
  },
  {
    name: 'dynamic-not-undone',
    bug: 'steps of a dynamic step count as undone before they are undone',
    edit: forgettingUndoOf('dynamic'),
  },
  {
    name: 'children-not-undone',
    bug: 'succeeded child tasks count as undone before they are undone',
    edit: forgettingUndoOf('children'),
  },
  {
    name: 'child-counted-twice',
    bug: 'once a child task has succeeded, a running one counts as succeeded too',
    children: (inner) => ({
      count: async (of) => {
        const counts = await inner.count(of);
        const { active, succeeded } = counts;
        if (active === 0 || succeeded === 0) return counts;
        return { ...counts, active: active - 1, succeeded: succeeded + 1 };
      },
      find: (query) => inner.find(query),
    }),
  },
  {
    name: 'missing-children-ignored',
    bug: 'child tasks whose start was lost count as stored',
    children: (inner) => ({
      count: async (of) => ({ ...(await inner.count(of)), found: 1_000 }),
      find: (query) => inner.find(query),
    }),
  },
  {
    name: 'children-all-at-once',
    bug: 'child tasks are started without a limit to those at a time',
    edit: forScopes(({ scope }, previous, next) => {
      const tally = scope.kind === 'children' ? tallyAt(next, scope.holder) : null;
      const runs = next.runs[scope.holder];
      if (!tally || !runs || runs === previous.runs[scope.holder] || tally.started === 0) return;
      const all: ChildTally = { ...tally, started: tally.total };
      putRuns(next, scope.holder, { normal: { ...runs.normal, values: all } });
    }),
  },
  {
    name: 'caught-without-undo',
    bug: 'a failure is caught before the failed step is undone',
    // So that no message of what was to be undone betrays it.
    edit: () => {},
    store: deciding((_, next, view) => {
      const place = next.runs.findIndex(({ rollback }, at) => {
        const isForward = wantsAction(next, { direction: 'normal', step: at });
        return rollback?.state === 'queued' && isForward && stepAt(next, at)?.catch !== undefined;
      });
      const rollback = next.runs[place]?.rollback;
      const ref = { direction: 'rollback', step: place } as const;
      if (!rollback || actionOf(next, ref) === undefined) return null;
      const owner = view.process.owner;
      const claim = { kind: 'claimed', ...ref, attempt: nextAttempt(rollback), owner } as const;
      const claimed = decided(next, claim, view);
      if (claimed === null) return null;
      const token = claimed.token;
      return decided(claimed, { kind: 'succeeded', ...ref, token, output: null }, view);
    }),
  },
  {
    name: 'signal-twice',
    bug: 'a signal that a step has taken is kept for another one',
    edit: (previous, next) => {
      for (const [place, { normal }] of next.runs.entries()) {
        if (stepAt(next, place)?.wait === undefined || normal.output === null) continue;
        if (normal.output === previous.runs[place]?.normal.output) continue;
        if (normal.output['by'] === undefined) continue;
        const again = { name: SIGNAL, payload: normal.output };
        (next as Editable<Task>).signals = [...next.signals, again];
      }
    },
  },
  {
    name: 'pivot-crossed',
    bug: 'a failure behind a point of no return rolls the task back past it',
    store: deciding((previous, next, view) => {
      const isNew = next.hold?.why === 'step_failed' && previous.hold === null;
      if (!isNew || next.plan.onFailure !== 'rollback') return null;
      return decidedWithoutPivots(next, { kind: 'rollback_requested', ...NOBODY }, view);
    }),
  },
  {
    name: 'pivot-crossed-by-parent',
    bug: 'a child task that its parent wants undone goes back past a point of no return',
    store: deciding((previous, next, view) => {
      const isNew = next.hold?.why === 'rollback_failed' && previous.outcome === 'succeeded';
      const undo = { kind: 'undo_requested', isByParent: true, ...NOBODY } as const;
      return isNew ? decidedWithoutPivots(previous, undo, view) : null;
    }),
  },
  {
    name: 'skip-loses-output',
    bug: 'the output that a person gives for a skipped step is lost',
    edit: (previous, next) => {
      for (const [place, { normal }] of next.runs.entries()) {
        if (normal.state !== 'skipped' || normal.output === null) continue;
        if (previous.runs[place]?.normal.state === 'skipped') continue;
        putRuns(next, place, { normal: { ...normal, output: null } });
      }
    },
  },
  {
    name: 'undone-twice',
    bug: 'after a retry of a failed rollback, steps that were undone are undone again',
    edit: (previous, next) => {
      const added = next.journal.entries().slice(previous.journal.length);
      if (!added.some(({ kind }) => kind === 'retry_requested')) return;
      const place = next.runs.findIndex(({ rollback }, at) => {
        return rollback?.state === 'succeeded' && stepAt(next, at)?.rollback;
      });
      const rollback = next.runs[place]?.rollback;
      if (!rollback) return;
      const again = { ...rollback, state: 'queued', dispatches: 1, dueAt: 0, orderAt: 0 } as const;
      putRuns(next, place, { rollback: again });
      (next as Editable<Task>).wakeAt = 0;
    },
  },
  {
    name: 'rollback-too-far',
    bug: 'a rollback to a step also undoes the steps that it needs',
    store: deciding((previous, next, view) => {
      const { plan, turned } = next;
      if (turned === previous.turned || turned?.why !== 'requested') return null;
      const before = plan.steps[turned.to ?? -1]?.needs[0];
      const entry = next.journal.entries().findLast(({ kind }) => kind === 'rollback_requested');
      if (before === undefined || entry === undefined) return null;
      const { actor = '', message = '' } = entry;
      const key = next.doneActions.at(-1)?.key ?? null;
      const to = plan.steps[before]?.name;
      const event: EventOf<'rollback_requested'> = {
        kind: 'rollback_requested',
        actor,
        reason: message,
        key,
        to,
      };
      return decided(previous, event, view);
    }),
  },
  {
    name: 'timer-forgotten',
    bug: 'a step that waits for a time is never looked at again',
    edit: (previous, next) => {
      for (const [place, { normal }] of next.runs.entries()) {
        const { wait } = stepAt(next, place) ?? {};
        if (wait === undefined || !('for' in wait) || normal.state !== 'waiting') continue;
        if (previous.runs[place]?.normal.state === 'waiting') continue;
        putRuns(next, place, { normal: { ...normal, dueAt: null } });
        (next as Editable<Task>).wakeAt = null;
      }
    },
  },
];

/** Passes over the undo of a step that holds steps, and counts it as undone. */
function forgettingUndoOf(kind: Scope['kind']): NonNullable<Mutant['edit']> {
  return forScopes(({ number, old, scope, steps }, previous, next) => {
    if (scope.kind !== kind || scope.turned?.why !== 'undone' || old?.way !== 'forward') return;
    const rollback = next.runs[scope.holder]?.rollback;
    if (!rollback) return;
    putScope(next, number, old);
    putRuns(next, scope.holder, { rollback: { ...rollback, state: 'succeeded', dueAt: null } });
    for (const index of steps.keys()) {
      putRuns(next, scope.first + index, previous.runs[scope.first + index]!);
    }
    (next as Editable<Task>).wakeAt = 0;
  });
}

/** Stores another document than the one that was decided on, where there is one. */
function deciding(
  other: (previous: Task, next: Task, view: MutantView) => Task | null,
): NonNullable<Mutant['store']> {
  return (inner, view) =>
    overriding(inner, {
      commit: (previous, next) => {
        const task = other(previous, next, view);
        const revision = previous.revision + 1;
        return inner.commit(previous, task === null ? next : { ...task, revision });
      },
    });
}

function decided(task: Task, event: TaskEvent, { process }: MutantView): Task | null {
  const { timing } = process.world.scenario;
  const moment = { now: process.clock.now(), chance: 0, timing };
  const decision = transition({ ...task, index: null }, event, { moment });
  return decision.kind === 'moved' ? decision.task : null;
}

const NOBODY = { actor: 'nobody', reason: 'because', key: null } as const;

/** The decision of a core that knows no points of no return. */
function decidedWithoutPivots(task: Task, event: TaskEvent, view: MutantView): Task | null {
  const { plan } = task;
  const plain = { ...task, plan: { ...plan, steps: plan.steps.map(withoutPivot) } };
  const next = decided(plain, event, view);
  return next && { ...next, plan, index: null };
}

/** The step, and those that it holds, without points of no return. */
function withoutPivot(step: StepPlan): StepPlan {
  const text = JSON.stringify(step, (key, value: unknown) => (key === 'pivot' ? undefined : value));
  return JSON.parse(text) as StepPlan;
}
