import { invariant } from '../assert.js';
import type { Change } from '../change/change.js';
import { failLastDone } from '../moves/fail-scope.js';
import type { FailureName } from '../task/failure.js';
import type { StepOf, StepPlan } from '../flow/flow.js';
import { asksOf } from '../task/plan-values.js';
import { hasPassedPivot } from '../scopes/pivot.js';
import { stepAt } from '../scopes/step-at.js';
import { heldBy } from '../scopes/scope-index.js';
import type { QuestionMember } from '../task/question.js';
import { failStanding } from '../moves/recover.js';
import { lackOfRoom } from '../moves/room.js';
import { beginScope, nameAt, runAt, scopeIn } from '../moves/scope-change.js';
import { failsForRoom, holderKind, startHolder, succeedHolder } from './holder.js';
import type { Asking, StepKind } from './kind.js';
import { normalOf } from '../task/action-ref.js';

/** A list of steps that is run again and again; after each round it is asked whether once more. */
export const loop: StepKind = holderKind({
  start(change, place) {
    if (failsForRoom(change, place, [ROUND])) return;
    startHolder(change, place);
    beginScope(change, place, ROUND);
  },
  done(change, scope) {
    const { holder } = scopeIn(change, scope);
    const ref = normalOf(holder);
    change.ask(ref, runAt(change, ref));
  },
  asksOn: asksAfterRound,
  answered(change, place, { delay, until, while: again }) {
    const { loop: body } = loopAt(change, place);
    if (until === true || again === false) return succeedHolder(change, place);
    // Rounds that stand are never undone one by one, so those before the last limit fill it.
    if (heldBy(change, place).done.length % body.max === 0)
      return failAtLimit(change, place, body.max);
    const wait = typeof delay === 'number' ? delay : 0;
    if (wait === 0) return beginRound(change, place);
    const ref = normalOf(place);
    const next = change.edit(ref, runAt(change, ref), 'waiting');
    next.dueAt = change.now + wait;
    next.orderAt = null;
  },
  due(change, place) {
    if (runAt(change, normalOf(place)).state === 'waiting') beginRound(change, place);
  },
});

const ROUND = { kind: 'round' } as const;

function loopAt(task: Asking, place: number): StepOf<'loop'> {
  const step: StepPlan | undefined = stepAt(task, place);
  invariant(step?.loop !== undefined, `the step at ${place} is no loop`);
  return step;
}

/** Null while a round is on its way. */
function asksAfterRound(task: Asking, place: number): readonly QuestionMember[] | null {
  const isUnderWay = heldBy(task, place).open.length > 0;
  if (isUnderWay || task.runs[place]?.normal.state !== 'running') return null;
  return asksOf(loopAt(task, place), 'round');
}

function beginRound(change: Change, place: number): void {
  const ref = normalOf(place);
  const run = runAt(change, ref);
  const queued = run.state === 'waiting' ? change.edit(ref, run, 'queued') : run;
  const next = change.edit(ref, queued, 'running');
  next.dueAt = null;
  next.orderAt = null;
  const lack = lackOfRoom(change, place, [ROUND]);
  if (lack === null) beginScope(change, place, ROUND);
  else failBetween(change, place, { code: 'TASK_TOO_LARGE', message: lack });
}

function failAtLimit(change: Change, place: number, max: number): void {
  const message = `${max} rounds were not enough for step ${nameAt(change, place)}`;
  failBetween(change, place, { code: 'LOOP_LIMIT', message });
}

/** A loop fails after a round that is done: there is to be another one, and there cannot be. */
function failBetween(
  change: Change,
  place: number,
  { code, message }: { readonly code: FailureName; readonly message: string },
): void {
  const cause = { code, step: nameAt(change, place), message };
  // With one round all others go back.
  const [round] = heldBy(change, place).numbers;
  const isPassed = round !== undefined && hasPassedPivot(change, round);
  // Its rounds are not undone: a person tries it again, or has it count as done.
  if (isPassed) failStanding(change, place, { cause, message, isLate: false });
  else failLastDone(change, place, { why: 'step_failed', message, cause });
}
