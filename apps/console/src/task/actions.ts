import type { Role } from '../access/rights.js';
import type { Step, Task, Verb as AnyVerb } from '../api/shapes.js';
import { WORDS } from '../words.js';
import {
  allSteps,
  isFinal,
  isOnWayBack,
  passedPivots,
  type PlacedStep,
  stepsBack,
  stepsOnWayForth,
} from './steps.js';

/** An action that a person can take on a task. */
export interface TaskAction {
  /** As the address ends. */
  readonly verb: Verb;
  readonly words: string;
  readonly isLegal: (task: Task) => boolean;
  /** Steps it can be about; absent: it is about the whole task. */
  readonly steps?: (task: Task) => readonly PlacedStep[];
  /** Member of the body that names the step, and whether it may be left out now. Default: never. */
  readonly stepMember?: {
    readonly name: 'step' | 'to';
    readonly isOptional?: (task: Task) => boolean;
  };
  /** Member of the body for an object that may be sent along. */
  readonly extra?: 'output' | 'parameters';
  /** Member of the body for the reason, where it is another. */
  readonly reasonMember?: 'comment';
  /** Whether it takes something away that cannot be had again. */
  readonly isGrave?: boolean;
}

/** An action with a button here; signals have a dialog of their own. */
export type Verb = Exclude<AnyVerb, 'signal'>;

const goesBackWhole = ({ steps }: Task): boolean => passedPivots(steps).length === 0;

/** Steps that can be passed over: failed undos, or what failed or was not started on the way on. */
function skippable(task: Task): readonly PlacedStep[] {
  if (task.status === 'rollback_failed') {
    return allSteps(task.steps).filter(({ step }) => step.rollback?.state === 'failed');
  }
  const ahead = ['queued', 'pending'];
  const wanted = task.status === 'on_hold' ? ['failed', 'timed_out', ...ahead] : ahead;
  const order = (state: string): number => wanted.indexOf(state);
  return stepsOnWayForth(task.steps)
    .filter(({ step }) => wanted.includes(step.state) && !isTakenUp(step))
    .sort((one, other) => order(one.step.state) - order(other.step.state));
}

/** Whether a queued step was started before: it may have done something. */
const isTakenUp = ({ state, timeStart }: Step): boolean => state === 'queued' && timeStart !== null;

/** Whether a parent has counted how the task ended: it alone takes that back. */
const isCounted = ({ parent, status }: Task): boolean =>
  isFinal(status) && parent !== null && parent.step !== null;

/** A child task that is not undone, as it passed a point of no return. */
const isBarred = (task: Task): boolean =>
  task.status === 'rollback_failed' && skippable(task).length === 0 && !goesBackWhole(task);

/** Steps that wait for their completion from outside, in either direction. */
function completable(task: Task): readonly PlacedStep[] {
  return allSteps(task.steps).filter(({ step }) => {
    return [step, step.rollback].some((half) => half?.waitsFor === 'completion');
  });
}

const awaited = (task: Task): readonly PlacedStep[] =>
  allSteps(task.steps).filter(({ step }) => step.waitsFor === 'approval');

const isOf =
  (...statuses: readonly string[]) =>
  ({ status }: Task): boolean =>
    statuses.includes(status);

const isForward = (task: Task): boolean => !isOnWayBack(task);
const isPausedForward = (task: Task): boolean => task.status === 'paused' && isForward(task);

/** In the order of their buttons. */
const DECLARED: readonly Omit<TaskAction, 'words'>[] = [
  {
    verb: 'approve',
    isLegal: (task) => awaited(task).length > 0,
    steps: awaited,
    stepMember: { name: 'step' },
    reasonMember: 'comment',
  },
  {
    verb: 'reject',
    isLegal: (task) => awaited(task).length > 0,
    steps: awaited,
    stepMember: { name: 'step' },
    reasonMember: 'comment',
    isGrave: true,
  },
  {
    verb: 'retry',
    isLegal: (task) => isOf('rollback_failed', 'on_hold')(task) && !isBarred(task),
    extra: 'parameters',
  },
  { verb: 'resume', isLegal: isOf('paused') },
  {
    verb: 'skip',
    isLegal: (task) =>
      skippable(task).length > 0 &&
      (isOf('rollback_failed', 'on_hold')(task) ||
        (isForward(task) && isOf('not_started', 'running', 'paused')(task))),
    steps: skippable,
    stepMember: { name: 'step' },
    extra: 'output',
  },
  {
    verb: 'complete',
    isLegal: (task) => completable(task).length > 0,
    steps: completable,
    stepMember: { name: 'step' },
    extra: 'output',
  },
  { verb: 'pause', isLegal: isOf('not_started', 'running', 'rolling_back') },
  {
    verb: 'rollback',
    isLegal: (task) =>
      (goesBackWhole(task) || stepsBack(task).length > 0) &&
      (isOf('not_started', 'running', 'on_hold')(task) || isPausedForward(task)),
    steps: stepsBack,
    stepMember: { name: 'to', isOptional: goesBackWhole },
    isGrave: true,
  },
  {
    verb: 'reset',
    isLegal: (task) =>
      stepsBack(task).length > 0 &&
      !isCounted(task) &&
      (isOf('running', 'on_hold', 'succeeded', 'rolled_back')(task) || isPausedForward(task)),
    steps: stepsBack,
    stepMember: { name: 'to' },
    extra: 'parameters',
    isGrave: true,
  },
  {
    verb: 'undo',
    isLegal: (task) => isOf('succeeded')(task) && !isCounted(task) && goesBackWhole(task),
    isGrave: true,
  },
  { verb: 'restart', isLegal: ({ status }) => isFinal(status), extra: 'parameters' },
  { verb: 'terminate', isLegal: ({ status }) => !isFinal(status), isGrave: true },
];

/** Every action, in the order of its buttons. */
export const ACTIONS: readonly TaskAction[] = DECLARED.map((action) => {
  return { ...action, words: WORDS.actions[action.verb] };
});

/** The role that an action takes. */
export function roleOf({ verb }: Pick<TaskAction, 'verb'>): Role {
  return verb === 'restart' ? 'starter' : 'operator';
}

/** The actions that are legal now. */
export function legalActions(task: Task): readonly TaskAction[] {
  return ACTIONS.filter(({ isLegal }) => isLegal(task));
}

/** Whether this is what a person does about the task as it stands, if anything is. */
export function isFirst({ verb }: Pick<TaskAction, 'verb'>, task: Task): boolean {
  const { status } = task;
  if (awaited(task).length > 0) return verb === 'approve' || verb === 'reject';
  if (isBarred(task)) return verb === 'terminate';
  if (status === 'on_hold' || status === 'rollback_failed') return verb === 'retry';
  if (status === 'paused') return verb === 'resume';
  if (status === 'rolled_back' || status === 'terminated') return verb === 'restart';
  return verb === 'complete';
}
