import { takeUp } from '../advance/end-attempt.js';
import { assertNever } from '../assert.js';
import type { Change } from '../change/change.js';
import { lostReason } from '../scopes/lost-claim.js';
import type { Failed, WorkerOutcome, WorkerReported } from '../task/event.js';
import { APPLIED, ignored, type Verdict } from '../task/verdict.js';
import { completesLater } from './completes-later.js';
import { failed, timedOut } from './failed.js';
import { handedBack } from './handed-back.js';
import { notFinished } from './not-finished.js';
import { reportedRun } from './reported.js';
import { succeeded } from './succeeded.js';

/** Words for an outcome that came too late. */
const WORDS: Readonly<Record<WorkerOutcome['kind'], string>> = {
  succeeded: 'that it succeeded',
  failed: 'that it failed',
  not_finished: 'that it is not finished',
  completes_later: 'that it completes later',
  handed_back: 'that it gives it back',
};

/**
 * An outcome that a worker tells counts while the claim lives, and after its end until a person
 * else claims the action. A later one is kept with the attempt, and moves nothing. Each is
 * remembered for a while, so that a worker may repeat what it said.
 */
export function workerReported(change: Change, event: WorkerReported): Verdict {
  const { hash, outcome, worker } = event;
  const { token } = outcome;
  const known = change.requests.reports.find((report) => report.token === token);
  if (known !== undefined) return ignored(known.hash === hash ? 'repeated' : 'differs');
  revive(change, event);
  const verdict = applyOutcome(change, outcome);
  if (verdict.kind === 'applied') {
    change.requests.keep({ token, hash, status: change.status });
    return verdict;
  }
  const late = lostReason(change, outcome);
  const message = `worker ${worker} told too late ${WORDS[outcome.kind]}`;
  const { creates, released } = { creates: undefined, released: undefined, ...outcome };
  change.noteRun('reported_late', outcome, { actor: worker, message, creates, released });
  change.requests.keep({ token, hash, status: change.status, late });
  return APPLIED;
}

/** The claim has ended, and nobody has claimed the action since: it is as if it had not. */
function revive(
  change: Change,
  { outcome: { direction, step, token }, worker }: WorkerReported,
): void {
  const ref = { direction, step };
  const run = change.run(ref);
  const expired = run?.expired ?? null;
  if (run === null || expired?.token !== token || expired.isHandedBack) return;
  // Called off meanwhile, it would be done on a way back that does not undo it.
  if (run.state !== 'queued' && run.state !== 'waiting') return;
  const next = change.edit(ref, takeUp(change, ref, run), 'running');
  Object.assign(next, expired.counted);
  next.startedAt ??= change.now;
  next.lease = { owner: worker, token };
  next.orderAt = null;
  next.expired = null;
}

function applyOutcome(change: Change, outcome: WorkerOutcome): Verdict {
  switch (outcome.kind) {
    case 'succeeded':
      return succeeded(change, outcome);
    case 'failed':
      return failedInTime(change, outcome);
    case 'not_finished':
      return notFinished(change, outcome);
    case 'completes_later':
      return completesLater(change, outcome);
    case 'handed_back':
      return handedBack(change, outcome);
    default:
      return assertNever(outcome);
  }
}

/**
 * A failure after the end of the attempt's time is that end, as an executor would tell it, if the
 * worker names it so or was told to stop for it.
 */
function failedInTime(change: Change, outcome: Failed): Verdict {
  const run = reportedRun(change, outcome);
  const terms = run?.lease?.terms;
  const isOver = terms !== undefined && terms.reportBy <= change.now && change.wants(outcome);
  if (!isOver || !(terms.isCancelled || outcome.error === 'TIMED_OUT')) {
    return failed(change, outcome);
  }
  const { error: _, ...told } = outcome;
  if ((run?.deadline ?? 0) <= change.now) return timedOut(change, { ...told, kind: 'timed_out' });
  return failed(change, { ...told, terminal: false, failure: 'TIMED_OUT' });
}
