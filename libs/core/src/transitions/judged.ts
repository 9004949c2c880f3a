import { advance } from '../advance/advance.js';
import type { Change } from '../change/change.js';
import type { Judged } from '../task/event.js';
import { failLeaf, succeedLeaf } from '../kinds/leaf.js';
import { stepAt } from '../scopes/step-at.js';
import { placeOf, placeOfStep } from '../scopes/run-id.js';
import { LIVE_STATUSES } from '../task/status.js';
import { APPLIED, illegal, type Refusal, type Verdict } from '../task/verdict.js';
import { admitAction } from './persons-action.js';

/** A person's yes ends the wait of a step, a no fails it. */
export function judged(change: Change, event: Judged): Verdict {
  const { actor, isApproved, reason: comment, step } = event;
  const place = placeOf(change, step) ?? placeOfStep(change, step) ?? -1;
  const kind = isApproved ? 'approved' : 'rejected';
  const verb = isApproved ? 'approve' : 'reject';
  const rule = { kind, verb, legalIn: LIVE_STATUSES, isRare: true } as const;
  const verdict = admitAction(change, event, rule) ?? refuse(change, place, { step, verb });
  if (verdict !== null) return verdict;
  change.noteRun(kind, { direction: 'normal', step: place }, { actor, message: comment });
  if (isApproved) {
    const at = new Date(change.now).toISOString();
    succeedLeaf(change, place, { by: actor, comment, at });
  } else {
    const message = `rejected by ${actor}: ${comment}`;
    failLeaf(change, place, { code: 'REJECTED', message });
  }
  advance(change);
  return APPLIED;
}

function refuse(
  change: Change,
  place: number,
  { step, verb }: { readonly step: string; readonly verb: string },
): Refusal | null {
  const isAsked = stepAt(change, place)?.approve !== undefined;
  const state = change.runs[place]?.normal.state ?? 'not there';
  if (isAsked && state === 'waiting' && change.wants({ direction: 'normal', step: place })) {
    return null;
  }
  return illegal(`${verb} needs a step that waits for an approval; ${step} is ${state}`);
}
