import { tallyFault } from '../../../../test/fuzz/tally-fault.js';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { FailurePolicy, StepPlan } from '../flow/flow.js';
import type { AskedQuestion } from '../task/question.js';
import { statusName } from '../task/status.js';
import type { Task } from '../task/task.js';
import { DEFAULT_LIMITS, type TaskLimits } from '../task/task-size.js';
import { type Decision, type Moved, transition } from './transition.js';
import { questionOf } from '../kinds/question-of.js';
import { askedIn } from './effect.js';

/** When every task of these specs is created. */
export const START = 1_000_000;

const LATER = { ...NO_RETRY, attempts: 2, backoff: 'fixed', delayMs: 1_000 } as const;

function action(command: string): Action {
  const times = { timeoutMs: 60_000, attemptTimeoutMs: null };
  return { module: 'm', command, ...times, retry: LATER, onCrash: 'fail', parameters: null };
}

/** A step with a rollback; both halves have one retry. */
export function step(name: string, needs: readonly number[]): StepPlan {
  return { name, needs, normal: action(name), rollback: action(`undo_${name}`) };
}

/** The parts of the flow that a test may set for itself. */
interface Start {
  readonly steps: readonly StepPlan[];
  readonly timeoutMs: number | null;
  readonly onFailure: FailurePolicy;
  /** Most runs and scopes that the task may have. */
  readonly runs: number;
}

const TWO_STEPS = [step('a', []), step('b', [0])];

/** A task by which one event happens after the other. */
export class Play {
  task: Task;
  last: Moved;
  private readonly limits: TaskLimits;

  constructor({
    onFailure = 'rollback',
    runs = DEFAULT_LIMITS.runs,
    steps = TWO_STEPS,
    timeoutMs = null,
  }: Partial<Start> = {}) {
    const rest = { description: null, input: null, timeoutMs, onFailure };
    const definition = { name: 'f', steps, ...rest };
    const options = { taskId: 't', moment: momentAt(START) };
    this.limits = { ...DEFAULT_LIMITS, runs };
    this.last = createTask({ definition, version: 1 }, { parameters: {} }, options);
    this.task = this.last.task;
  }

  decide(event: TaskEvent, now = START): Decision {
    return transition(this.task, event, { moment: { ...momentAt(now), limits: this.limits } });
  }

  /** Lets an event happen; throws where nothing comes of it, or the figures are wrong after it. */
  do(event: TaskEvent, now = START): this {
    const decision = this.decide(event, now);
    if (decision.kind !== 'moved') throw new Error(JSON.stringify(decision));
    const fault = tallyFault(decision.task);
    if (fault !== null) throw new Error(`after ${event.kind}: ${fault}`);
    this.last = decision;
    this.task = decision.task;
    return this;
  }

  get status(): string {
    return statusName(this.task.status);
  }

  /** The first question that the last event asked. */
  get asked(): AskedQuestion {
    const found = askedIn(this.last.effects)
      .map((ref) => questionOf(this.task, ref))
      .find(Boolean);
    if (!found) throw new Error('nothing is asked');
    return found;
  }

  get sent(): readonly string[] {
    return this.last.queued.map(({ action: { command } }) => command);
  }
}

function momentAt(now: number) {
  return { now, chance: 0, timing: DEFAULT_TIMING };
}
