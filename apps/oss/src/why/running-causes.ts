import type { LeaseTerms } from '#core';
import { instanceOf } from '#engine';
import { told as toldLength } from '../estimate/estimate.presenter.js';
import type { UsualTime } from '../estimate/usual-time.js';
import { ago, type Cause, moment, type NextStep, type Situation, WAIT } from './cause.js';
import type { OpenAction } from './step-causes.js';

/** How an action fares that a process has a lease on. */
export function runningCauses(situation: Situation, open: OpenAction): readonly Cause[] {
  const { terms } = open.run.lease ?? {};
  const over =
    terms === undefined
      ? (goneCause(situation, open) ?? silentCause(situation, open))
      : leaseCause(situation, open, terms);
  return [over ?? atWork(situation, open)];
}

/** That a worker does not renew its lease any more, has not so far, or was told to stop. */
function leaseCause(
  { executors, now }: Situation,
  open: OpenAction,
  terms: LeaseTerms,
): Cause | null {
  const { name, run } = open;
  const { evidence, since } = told(open);
  const worker = ownerOf(open);
  const silentSince = executors.find(({ instance }) => instance === worker)?.silentSince ?? null;
  const facts = {
    ...{ ...evidence, leaseUntil: moment(run.dueAt) },
    ...(silentSince !== null && { silentSince: moment(silentSince) }),
  };
  const tell = (code: Cause['code'], what: string): Cause => {
    return { code, message: `${name} ${what}.`, since, evidence: facts, next: [WAIT] };
  };
  if (run.dueAt !== null && run.dueAt <= now) {
    return tell('LEASE_ENDING', `ran on ${worker}, whose lease is over. Another worker takes over`);
  }
  if (silentSince !== null) {
    const silence = `which has been silent for ${ago(now, silentSince)}`;
    const after = 'Another worker takes over if its lease ends';
    return tell('LEASE_ENDING', `runs on ${worker}, ${silence}. ${after}`);
  }
  if (terms.isCancelled) return tell('RUNNING', `runs on ${worker}, which was told to stop`);
  if (terms.isHeld) return null;
  return tell('RUNNING', `was handed to ${worker}, which has not renewed its lease so far`);
}

function goneCause({ sessions }: Situation, open: OpenAction): Cause | null {
  const { name } = open;
  const owner = ownerOf(open);
  const session = sessions?.find((one) => one.session === owner);
  if (sessions === null || (session !== undefined && !session.isOver)) return null;
  // Tasks are looked for by the sessions that are known to be over, and else by their deadlines.
  const fate =
    session === undefined
      ? 'which is no longer known. Another executor takes over after the deadline'
      : 'which is gone. Another executor takes over soon';
  const message = `${name} ran on ${owner}, ${fate}.`;
  return { ...told(open), code: 'OWNER_LOST', message, next: [WAIT, CHECK_EXECUTOR] };
}

function silentCause(situation: Situation, open: OpenAction): Cause | null {
  const { executors, now, sessions } = situation;
  const owner = ownerOf(open);
  const executor = executors.find(({ instance }) => instance === instanceOf(owner));
  const silentSince = executor?.silentSince ?? null;
  if (silentSince === null) return null;
  const leaseMs = sessions?.find(({ session }) => session === owner)?.leaseMs ?? null;
  const silence = `which has been silent for ${ago(now, silentSince)}`;
  const { evidence, since } = told(open);
  return {
    code: 'LEASE_ENDING',
    message: `${open.name} runs on ${owner}, ${silence}. Another executor takes over if its lease ends.`,
    since,
    evidence: { ...evidence, silentSince: moment(silentSince), leaseMs },
    next: [WAIT, CHECK_EXECUTOR],
  };
}

function atWork(situation: Situation, open: OpenAction): Cause {
  const { name, run } = open;
  const { now } = situation;
  const { evidence, since } = told(open);
  if (run.deadline !== null && run.deadline <= now) {
    const message = `${name} is past its deadline, and ${ownerOf(open)} has not ended it.`;
    return { code: 'RUNNING_LATE', message, since, evidence, next: [CHECK_EXECUTOR, TERMINATE] };
  }
  const time = `${ago(now, run.startedAt)}${ofTimeout(open)}`;
  const message = `${name} has been running for ${time} on ${ownerOf(open)}`;
  const usual = usualOf(situation, open);
  if (usual === null || now - (run.startedAt ?? now) <= usual.p95Ms) {
    return { code: 'RUNNING', message: `${message}.`, since, evidence, next: [WAIT] };
  }
  const most = toldLength(usual.p95Ms);
  return {
    code: 'RUNNING_LONG',
    message: `${message}: 95 of 100 past tasks needed at most ${most} for it.`,
    since,
    evidence: { ...evidence, p95: usual.p95Ms / 1_000, tasks: usual.tasks },
    next: [WAIT, CHECK_EXECUTOR],
  };
}

/** How long the action may take in all, where it has a deadline. */
function ofTimeout({ run }: OpenAction): string {
  if (run.deadline === null || run.startedAt === null) return '';
  return ` of at most ${toldLength(run.deadline - run.startedAt)}`;
}

/** The members of a reason that all of these have. */
function told(open: OpenAction): Pick<Cause, 'since' | 'evidence'> {
  const { place, run } = open;
  const deadline = moment(run.deadline);
  return {
    since: moment(run.startedAt),
    evidence: { ...place, owner: ownerOf(open), attempt: run.attempts, deadline },
  };
}

function ownerOf({ run }: OpenAction): string {
  return run.lease?.owner ?? '';
}

/** The time that past tasks needed for a step of the task's own; null: they do not tell. */
function usualOf({ task, usual }: Situation, { place, ref, step }: OpenAction): UsualTime | null {
  const isOwn = place['id'] === step.name;
  const isOnWay = ref.direction === (task.way === 'back' ? 'rollback' : 'normal');
  return isOwn && isOnWay ? (usual.get(step.name) ?? null) : null;
}

const TERMINATE: NextStep = { action: 'terminate', label: 'Stop the task without undoing' };
const CHECK_EXECUTOR: NextStep = { action: 'check_executor', label: 'Check the executor' };
