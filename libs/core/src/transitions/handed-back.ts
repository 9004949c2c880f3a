import { type ActionRun, mayHaveEffect } from '../task/action-run.js';
import type { Change } from '../change/change.js';
import { endUnwanted, failAttempt } from '../advance/end-attempt.js';
import type { HandedBack } from '../task/event.js';
import { type EntryWait, FAILURE_CODES } from '../task/failure.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import {
  queueAgain,
  rememberClaim,
  uncounted,
  type WorkersRun,
  workersRun,
} from './lease-ended.js';
import { countRefused, reportedRun } from './reported.js';

/**
 * The executor is stopping: another person starts the action again, and the attempt is not charged.
 * One that must not be started twice has failed, because nobody knows how far its command got. A
 * command that was not entered for want of what it is to be given is tried again later.
 */
export function handedBack(change: Change, event: HandedBack): Verdict {
  const run = reportedRun(change, event);
  if (run === null) return ignored('stale_token');
  const { message, wait } = event;
  const held = workersRun(run);
  // The worker has it by a repeated poll, so this gateway's answer or secrets do not matter.
  const isUngiven = event.isUnseen === true || wait !== undefined;
  if (isUngiven && held?.terms.isHeld === true) return ignored('held');
  if (held !== null && isUncounted(change, event, held)) {
    const isBegun = mayHaveBegun(change, event, held);
    change.noteRun('handed_back', event, { message, ...(!isBegun && { refused: true }) });
    queueAgain(change, event, uncounted(change, event, { run, isBegun }));
    rememberClaim(change, event, { held, isHandedBack: true, unheld: held.terms.unheld });
    return APPLIED;
  }
  // A look that did not take place refuses nothing: the attempt was entered before.
  const refused = wait !== undefined && run.look === 'none';
  change.noteRun('handed_back', event, { message, refused });
  const counted = refused ? countRefused(change, event, run) : run;
  if (!change.wants(event)) {
    endUnwanted(change, event);
    return APPLIED;
  }
  if (wait !== undefined) {
    waitToEnter(change, event, { run: counted, wait });
    return APPLIED;
  }
  if (run.look === 'none' && change.action(event).onCrash === 'fail') {
    const cause = { terminal: true, failure: 'LEASE_LOST', message } as const;
    failAttempt(change, event, { run, cause });
    return APPLIED;
  }
  change.queue(event, run).spent = refunded(run);
  if (held !== null) rememberClaim(change, event, { held, isHandedBack: true, unheld: 0 });
  return APPLIED;
}

/**
 * Whether a worker may have begun all the same: it need not wait for the answer to a heartbeat, and
 * has the action; where the answer could not be written, by a repeated poll.
 */
function mayHaveBegun(change: Change, event: HandedBack, { terms }: WorkersRun): boolean {
  const isSeen = event.isUnseen !== true || terms.poll !== null;
  return isSeen && change.action(event).onCrash !== 'fail';
}

/**
 * Whether a claim counts as no attempt: its answer could not be written, or it was only delivered.
 * One that is to be entered later for want of something stays in its worker's hands until then.
 */
function isUncounted(change: Change, event: HandedBack, { terms }: WorkersRun): boolean {
  if (event.isUnseen === true) return true;
  return !terms.isHeld && (event.wait === undefined || change.action(event).onCrash === 'fail');
}

/**
 * Nothing happened: the attempt counts as one without an effect, and the end of the time for all
 * attempts moves by what was lost. It begins again where no attempt has entered the command so far.
 */
function waitToEnter(
  change: Change,
  event: HandedBack,
  { run, wait }: { run: ActionRun; wait: EntryWait },
): void {
  const next = change.edit(event, run, 'waiting');
  next.spent = refunded(run);
  next.lease = null;
  next.code = FAILURE_CODES.SECRET_STORE_AWAY;
  next.message = event.message;
  next.dueAt = change.now + wait.afterMs;
  if (!mayHaveEffect(next)) next.deadline = null;
  else if (next.deadline !== null) next.deadline += wait.afterMs + wait.lostMs;
}

/** The cost of the attempts so far without the one that is given back; a look costs none. */
function refunded({ look, spent }: ActionRun): number {
  return look === 'none' ? Math.max(0, spent - 1) : spent;
}
