import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import { wholeTally } from '../children/child-rounds.js';
import { tallyAt } from '../children/children.js';
import { addEdit, nextRun, refuseEdit } from '../moves/edit.js';
import { hasStanding, isReplaced, roundWith } from '../moves/further-round.js';
import { lackOfRoom } from '../moves/room.js';
import { isActive } from '../task/action-run.js';
import type { ResetRequested } from '../task/event.js';
import { refuseImported } from '../task/import-action.js';
import { type ChildRef, type ChildrenAnew, isOwedTask } from '../task/parent.js';
import { stepAt, TASK } from '../scopes/step-at.js';
import { renewFrom } from '../moves/renew.js';
import { ownPlaceOf } from '../scopes/run-id.js';
import { TASK_STATUS } from '../task/status.js';
import { turnBack } from '../advance/turn-back.js';
import { APPLIED, illegal, type Refusal, type Verdict } from '../task/verdict.js';
import { type ActionRule, admitAction } from './persons-action.js';
import { refusePastPivot, refuseStepBack } from './step-back.js';

const RULE: ActionRule = {
  kind: 'reset_requested',
  verb: 'reset',
  legalIn: [
    TASK_STATUS.running,
    TASK_STATUS.on_hold,
    TASK_STATUS.succeeded,
    TASK_STATUS.rolled_back,
    TASK_STATUS.paused,
  ],
};

/** Of a paused task that goes back already, or has done nothing so far. */
const RULE_PAUSED: ActionRule = {
  ...RULE,
  legalIn: [
    TASK_STATUS.running,
    TASK_STATUS.on_hold,
    TASK_STATUS.succeeded,
    TASK_STATUS.rolled_back,
  ],
};

/**
 * A person has a step and everything that needs it done again. The steps of this part that ran are
 * called off and undone first. The rest of the task stays as it is, and its running attempts go on.
 * A task that is rolled back has nothing to undo: it begins again with the undone steps that are
 * needed. A paused one stays paused and goes back once it is resumed. Where child tasks of the step
 * are to stay, only what needs the step is undone, and the step begins others of them again.
 */
export function resetRequested(change: Change, event: ResetRequested): Verdict {
  const to = ownPlaceOf(change, event.to) ?? -1;
  const { actor, parameters } = event;
  const children = event.children === 'all' ? undefined : event.children;
  const anew = children === undefined ? [] : [to];
  const again = children === undefined && to >= 0 ? [nextRun(change, to)] : [];
  const wish = parameters === undefined ? null : { actor, values: parameters, anew, again };
  const verdict =
    refuseForChild(change) ??
    refuseImported(change, RULE.verb) ??
    admitAction(change, event, ruleFor(change)) ??
    refuseStepBack(change, { name: event.to, to, verb: RULE.verb }) ??
    refusePastPivot(change, { to, verb: RULE.verb }) ??
    (children && refuseAnew(change, to, children)) ??
    (wish && refuseEdit(change, wish));
  if (verdict !== null) return verdict;
  const ref = { direction: 'normal', step: to } as const;
  change.noteRun(RULE.kind, ref, { actor, message: event.reason });
  if (change.hold !== null) change.endHold();
  if (wish !== null) addEdit(change, wish);
  if (change.outcome === 'rolled_back') {
    renewFrom(change, to);
    advance(change);
  } else {
    const what = children === undefined ? 'reset to' : 'reset to child tasks of';
    const message = `${what} step ${event.to} by ${actor}: ${event.reason}`;
    const turn = { why: 'reset', by: actor, message, to } as const;
    turnBack(change, TASK, children === undefined ? turn : { ...turn, children });
  }
  return APPLIED;
}

/** Its parent may have counted how it ended. */
function refuseForChild({ outcome, plan }: Change): Verdict | null {
  const { parent } = plan;
  if (parent === null || isOwedTask(parent) || outcome === null) return null;
  return illegal('the parent counts this task as ended: reset the parent instead');
}

function ruleFor({ startedAt, status, way }: Change): ActionRule {
  const hasPart = way === 'forward' && startedAt !== null;
  return status === TASK_STATUS.paused && !hasPart ? RULE_PAUSED : RULE;
}

/** Why a reset cannot begin these child tasks of a step again beside the others; null: it can. */
function refuseAnew(change: Change, to: number, anew: ChildrenAnew): Refusal | null {
  const { foreach, name = '' } = stepAt(change, to) ?? {};
  if (foreach === undefined) return aboutChildren(`step ${name} is not a \`foreach\``);
  const fault = standingFault(change, to);
  if (fault !== null) return aboutChildren(`step ${name} ${fault}`);
  if (typeof anew === 'object') return faultOfOne(change, to, anew);
  const tally = tallyAt(change, to);
  const hasFailed = tally !== null && wholeTally(tally).failed > 0;
  if (!hasFailed) return aboutChildren(`no child task of step ${name} has failed`);
  return refuseForRoom(change, to);
}

function aboutChildren(fault: string): Refusal {
  return { ...illegal(`${fault}: reset without \`children\``), about: 'children' };
}

function standingFault(change: Change, to: number): string | null {
  const run = change.runs[to]?.normal;
  if (run !== undefined && isActive(run)) return 'has unfinished child tasks';
  const tally = tallyAt(change, to);
  if (!hasStanding(change, to) || tally === null) return 'has no child tasks';
  // The task ended before them, and nobody knows what the others would have come to.
  return tally.started < tally.total ? 'has child tasks that never started' : null;
}

function faultOfOne(change: Change, to: number, child: ChildRef): Refusal | null {
  const { name = '' } = stepAt(change, to) ?? {};
  if (roundWith(change, to, child) < 0) {
    const message = `step ${name} has no such child task now`;
    return { kind: 'refused', code: 'NO_SUCH_CHILD', message };
  }
  if (!isReplaced(change, to, child)) return refuseForRoom(change, to);
  const message = 'the item of this child task was started again: name its latest child task';
  return { ...illegal(message), about: 'children' };
}

function refuseForRoom(change: Change, to: number): Refusal | null {
  const lack = lackOfRoom(change, to, [{ kind: 'children' }]);
  return lack === null ? null : { ...illegal(lack), about: 'children' };
}
