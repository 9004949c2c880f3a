import { isActive } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { wholeTally } from '../children/child-rounds.js';
import { tallyAt } from '../children/children.js';
import { hasStanding, isReplaced, roundWith } from '../moves/further-round.js';
import type { ChildrenAnew, ChildRef } from '../task/parent.js';
import { stepAt } from '../scopes/step-at.js';
import { lackOfRoom } from '../moves/room.js';
import { illegal, type Refusal } from '../task/verdict.js';

/** Why a reset cannot begin these child tasks of a step anew beside the others; null: it can. */
export function refuseAnew(change: Change, to: number, anew: ChildrenAnew): Refusal | null {
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
