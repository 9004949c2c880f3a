import { type ChildrenPlan, childrenToTend, runIdOf, wholeTally } from '#core';
import { type Cause, moment, type Situation } from './cause.js';

/** Reasons that lie in child tasks: each step that waits for some says how they stand. */
export function childCauses(situation: Situation): readonly Cause[] {
  return childrenToTend(situation.task).map((plan) => causeOf(situation, plan));
}

function goalOf({ replaces, way }: ChildrenPlan): string {
  if (way === 'back') return 'its child tasks to be undone';
  if (way === 'end') return 'its child tasks to be terminated';
  if (replaces === null) return 'its child tasks to end';
  return 'a child task to be undone before its item starts again';
}

function causeOf({ task }: Situation, plan: ChildrenPlan): Cause {
  const { concurrency, holder, tally, way } = plan;
  const { failed, held, started, succeeded, total } = wholeTally(tally);
  // Those that were only just started are counted at the next look, and are open all the same.
  const active = way === 'forward' ? started - succeeded - failed : tally.active;
  const id = runIdOf(task, holder);
  const standing = `${succeeded} of ${total} succeeded, ${failed} failed, ${active} open`;
  const isFull = way === 'forward' && started < total && active >= concurrency;
  const limit = isFull ? ` (no more at a time)` : '';
  const persons = held === 0 ? '' : `. Open ones that wait for a person: ${held}`;
  return {
    code: 'WAITS_FOR_CHILDREN',
    message: `Step ${id} waits for ${goalOf(plan)}: ${standing}${limit}${persons}.`,
    since: moment(task.runs[holder]?.normal.startedAt ?? null),
    evidence: { step: id, way, total, started, succeeded, failed, active, held, concurrency },
    next: [{ action: 'children', label: 'See which child tasks do not move' }],
  };
}
