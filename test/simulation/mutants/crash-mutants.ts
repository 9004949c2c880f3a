import type { Action, ActionRun, CrashPolicy, StepPlan, Task } from '#core';
import { transition } from '#core/transitions';
import type { Mutant, MutantView } from '../mutant.js';
import { overriding } from '../mutated-store.js';

type Editable<T> = { -readonly [K in keyof T]: T[K] };

/** Bugs of what an attempt costs that was lost with its process. */
export const CRASH_MUTANTS: readonly Mutant[] = [
  {
    name: 'crash-spends-retry',
    bug: 'an attempt that was lost with its process uses up a retry',
    store: judgingBy((policy) => (policy === 'fail' ? policy : { restarts: 0 })),
  },
  {
    name: 'restarts-unbounded',
    bug: 'an action is started again after every crash, however many there were',
    store: judgingBy((policy) => (policy === 'fail' ? policy : { restarts: 1_000 })),
  },
  {
    name: 'restarted-for-all',
    bug: 'an action with onCrash fail is started again after a crash',
    store: judgingBy(() => ({ restarts: 1_000 })),
  },
  {
    name: 'crashes-forgotten',
    bug: 'the number of lost attempts is not stored',
    edit: (previous, next) => {
      next.runs.forEach(({ normal, rollback }, step) => {
        const before = previous.runs[step];
        for (const run of [normal, rollback]) {
          const isOld = run === before?.normal || run === before?.rollback;
          if (run !== null && !isOld && run.crashes > 0) (run as Editable<ActionRun>).crashes = 0;
        }
      });
    },
  },
];

/** Decides lost leases by another policy than the flow's. */
function judgingBy(change: (policy: CrashPolicy) => CrashPolicy): NonNullable<Mutant['store']> {
  return (inner, view) =>
    overriding(inner, {
      commit: (previous, next) => {
        const added = next.journal.entries().slice(previous.journal.length);
        const has = (wanted: string): boolean => added.some(({ kind }) => kind === wanted);
        // With another decision, a run claimed in the same commit would have no holder.
        const isAlone = has('lease_lost') && !has('started');
        const judged = isAlone ? judgedBy(change, previous, view) : null;
        return inner.commit(previous, judged ?? next);
      },
    });
}

function judgedBy(
  change: (policy: CrashPolicy) => CrashPolicy,
  previous: Task,
  { process }: MutantView,
): Task | null {
  const { plan } = previous;
  const changed = (action: Action): Action => ({ ...action, onCrash: change(action.onCrash) });
  const steps = plan.steps.map((plain): StepPlan => {
    if (plain.normal === undefined) return plain;
    const { normal, rollback, ...step } = plain;
    const back = rollback === null ? null : changed(rollback);
    return { ...step, normal: changed(normal), rollback: back };
  });
  const { timing } = process.world.scenario;
  const moment = { now: process.clock.now(), chance: 0, timing };
  const event = { kind: 'tick', crowded: new Map() } as const;
  const decision = transition({ ...previous, plan: { ...plan, steps } }, event, { moment });
  return decision.kind === 'moved' ? { ...decision.task, plan } : null;
}
