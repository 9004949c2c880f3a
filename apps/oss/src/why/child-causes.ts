import { type ChildrenPlan, childrenToTend, runIdOf } from '#core';
import { type Cause, moment, type Situation } from './cause.js';

/** Reasons that lie in child tasks: each step that waits for some says how they stand. */
export function childCauses(situation: Situation): readonly Cause[] {
  return childrenToTend(situation.task).map((plan) => causeOf(situation, plan));
}

function causeOf({ task }: Situation, { holder, tally, way }: ChildrenPlan): Cause {
  const { active, failed, held, started, succeeded, total } = tally;
  const id = runIdOf(task, holder);
  const goal = way === 'forward' ? 'to end' : way === 'back' ? 'to be undone' : 'to be terminated';
  const standing = `${succeeded} of ${total} have succeeded, ${failed} failed, ${active} are open`;
  const persons = held === 0 ? '' : `, of which ${held} wait for a person`;
  return {
    code: 'WAITS_FOR_CHILDREN',
    message: `Step ${id} waits for its child tasks ${goal}: ${standing}${persons}.`,
    since: moment(task.runs[holder]?.normal.startedAt ?? null),
    evidence: { step: id, way, total, started, succeeded, failed, active, held },
    next: [{ action: 'children', label: 'See which of them do not move' }],
  };
}
