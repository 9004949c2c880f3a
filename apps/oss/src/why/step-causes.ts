import {
  type ActionRef,
  type ActionRun,
  type Action,
  FAILURE_CODES,
  type JsonObject,
  questionOf,
  type StepPlan,
} from '#core';
import { isParentStep } from '#core/flow';
import { actionOf, runIdOf, runOf, stepAt } from '#core/scopes';
import { type Cause, moment, type NextStep, type Situation, WAIT } from './cause.js';
import { newsAwaited } from '../tasks/awaited-news.js';
import { queueCauses } from './queue-causes.js';
import { runningCauses } from './running-causes.js';

/** An action that is queued, running or waiting, with what reasons are made of. */
export interface OpenAction {
  readonly ref: ActionRef;
  readonly run: ActionRun;
  /** Undefined for a step that is no command. */
  readonly action: Action | undefined;
  readonly step: StepPlan;
  /** Evidence of every cause in it: the step, the id of its run, the direction, the command. */
  readonly place: JsonObject;
  readonly name: string;
}

/** Reasons that lie in one action of a task. */
export function stepCauses(situation: Situation, ref: ActionRef): readonly Cause[] {
  const { task } = situation;
  const run = runOf(task, ref);
  const step = stepAt(task, ref.step);
  if (run === null || step === undefined) return [];
  const isCommand = ref.direction !== 'normal' || step.normal !== undefined;
  const action = isCommand ? actionOf(task, ref) : undefined;
  const id = runIdOf(task, ref.step);
  const command = action && { module: action.module, command: action.command };
  const place = { step: step.name, id, direction: ref.direction, ...command };
  const name = ref.direction === 'normal' ? `Step ${id}` : `The ${ref.direction} of step ${id}`;
  return causesIn(situation, { ref, run, action, step, place, name });
}

function causesIn(situation: Situation, open: OpenAction): readonly Cause[] {
  const { ref, run } = open;
  const { task } = situation;
  const isAsked = run.lease === null && run.state !== 'waiting' && questionOf(task, ref) !== null;
  if (isAsked) return [expressionOpen(open)];
  if (run.state === 'waiting') return [waiting(open)];
  if (run.state === 'running')
    return run.lease === null ? holding(situation, open) : runningCauses(situation, open);
  // A paused task starts nothing, and that is told of the task itself.
  return task.paused !== null ? [] : queueCauses(situation, open);
}

function expressionOpen({ name, place, run }: OpenAction): Cause {
  return {
    code: 'EXPRESSION_OPEN',
    message: `${name} waits for its expressions to be evaluated.`,
    since: moment(run.orderAt),
    evidence: { ...place, askedAgainAt: moment(run.dueAt) },
    next: [WAIT],
  };
}

function waiting(open: OpenAction): Cause {
  const { name, place, ref, run, step } = open;
  const news = newsAwaited(run, { plan: step, direction: ref.direction });
  const since = moment(run.startedAt);
  const until = moment(run.dueAt);
  const evidence = { ...place, until };
  if (news === 'approval' && step.approve !== undefined) {
    const title = run.values?.['title'] ?? step.approve.title;
    const asked = typeof title === 'string' ? title : JSON.stringify(title);
    const message = `${name} waits for an approval: ${asked}`;
    const roles = step.approve.roles.length > 0 ? { roles: step.approve.roles } : {};
    return {
      code: 'WAITS_FOR_APPROVAL',
      message,
      since,
      evidence: { ...evidence, title, ...roles },
      next: approve(place),
    };
  }
  if (news === 'signal' && step.wait !== undefined && 'signal' in step.wait) {
    const { signal } = step.wait;
    return {
      code: 'WAITS_FOR_SIGNAL',
      message: `${name} waits for the signal ${signal}.`,
      since,
      evidence: { ...evidence, signal },
      next: [{ action: 'signal', label: `Send the signal ${signal}` }],
    };
  }
  if (news === 'completion') {
    const message = `${name} waits for its completion from outside, and times out at ${until}.`;
    const more = { attempts: run.attempts, message: run.message };
    return {
      code: 'WAITS_FOR_COMPLETION',
      message,
      since,
      evidence: { ...evidence, ...more },
      next: [complete(place)],
    };
  }
  return waitingForTime(open);
}

function waitingForTime({ action, name, place, run }: OpenAction): Cause {
  const until = moment(run.dueAt);
  const evidence = { ...place, until, attempts: run.attempts, message: run.message };
  const since = moment(run.startedAt);
  if (action === undefined) {
    const message = `${name} waits until ${until}.`;
    return { code: 'WAITS_FOR_TIME', message, since, evidence: { ...place, until }, next: [WAIT] };
  }
  if (run.look !== 'none') {
    const why = run.message === null ? '' : `: ${run.message}`;
    const message = `${name} is not finished. Its command is called again at ${until}${why}`;
    return { code: 'LOOKS_AGAIN', message, since, evidence, next: [WAIT] };
  }
  if (run.code === FAILURE_CODES.SECRET_STORE_AWAY) {
    const message = `${name} cannot get its secrets, and tries again at ${until}: ${run.message}`;
    return { code: 'SECRET_STORE_AWAY', message, since, evidence, next: [WAIT, CHECK_SECRETS] };
  }
  const { attempts } = action.retry;
  const failed = run.message === null ? '' : `: ${run.message}`;
  return {
    code: 'RETRY_LATER',
    message: `${name} failed, and is tried again at ${until}${failed}`,
    since,
    evidence: { ...evidence, attemptsMax: attempts },
    next: [WAIT],
  };
}

/**
 * A step that holds steps: those say it, but for the pause between two rounds. Of one that has
 * child tasks, the moment is when the engine looks after these again, and nothing waits for it.
 */
function holding(situation: Situation, open: OpenAction): readonly Cause[] {
  const { dueAt } = open.run;
  if (isParentStep(open.step)) return [];
  return dueAt === null || dueAt <= situation.now ? [] : [waitingForTime(open)];
}

const CHECK_SECRETS: NextStep = {
  action: 'check_secrets',
  label: 'Check that executors reach the secret store',
};

function complete({ id }: JsonObject): NextStep {
  const label = 'Complete it, if what it waits for has happened';
  return { action: 'complete', label, step: id as string };
}

function approve({ id }: JsonObject): readonly NextStep[] {
  const step = id as string;
  return [
    { action: 'approve', label: 'Approve', step },
    { action: 'reject', label: 'Reject', step },
  ];
}
