import { type Answer, type Question, statusName, type StepPlan, type TaskStatusName } from '#core';
import type { Evaluator } from '#ports';
import type { Effect } from './effects.js';
import type { Started } from './outsiders.js';
import { type Ended, Play, type PlayOptions } from './play.js';
import { type How, HOWS, type RehearsedFlow } from './scenario.js';
import { type PlayedRun, type Trials, tryEverything } from './try-everything.js';

/** A flow as it fares in one scenario, in memory and on a virtual clock. */
export type Rehearsal = Trials<Effect>;

/**
 * How a play came out. `clean`: it ended, and nothing is left that should not be. `held`: it waits
 * for a person, as its flow wants. `stuck`: a rollback failed, or it waits for what never comes.
 * `residue`: it ended, and something is left.
 */
type Result = 'clean' | 'held' | 'stuck' | 'residue';

/** The outcome of one play. */
export interface Verdict<Left> {
  readonly result: Result;
  readonly status: TaskStatusName;
  /** The reason, in words for people; null: none. */
  readonly why: string | null;
  /** Changes outside that are left and should not be. */
  readonly residue: readonly Left[];
}

/** The surroundings of the plays of a rehearsal. */
interface RehearsalOptions extends Omit<PlayOptions, 'faults'> {
  /** Awaited before each play, which itself may wait for nothing. Default: nothing is. */
  readonly between?: () => Promise<void>;
}

/** Tries a flow in memory, in every way. Never looks at a clock. */
export function rehearse(
  flow: RehearsedFlow,
  { between, ...options }: RehearsalOptions,
): Promise<Rehearsal> {
  const evaluator = new RememberedAnswers(options.evaluator);
  return tryEverything({
    play: async (faults) => {
      await between?.();
      const ended = await new Play(flow, { ...options, evaluator, faults }).run();
      const { started, tookMs } = ended;
      return { verdict: judge(ended), started: started.map(playedRun), tookMs };
    },
  });
}

function playedRun({ direction, plan, run }: Started): PlayedRun {
  return { run, direction, ...runnable(plan) };
}

/** How a step can go wrong, as its plan has it. */
function runnable(plan: StepPlan): Omit<PlayedRun, 'direction' | 'run'> {
  const isCommand = plan.normal !== undefined;
  return {
    step: plan.name,
    isCommand,
    silences: isCommand ? [] : silences(plan),
    undoHows: undoHows(plan),
  };
}

/** Nothing gets over a rollback that hangs for as long as all of its attempts may take. */
function undoHows({ rollback }: StepPlan): readonly How[] {
  if (!rollback) return [];
  return rollback.attemptTimeoutMs === null ? HOWS.filter((how) => how !== 'time-out') : HOWS;
}

/** How a step that waits for an outside answer goes wrong: by a no, or by silence. */
function silences({ approve, wait }: StepPlan): readonly How[] {
  const timeoutMs = wait !== undefined && 'signal' in wait ? wait.timeoutMs : approve?.timeoutMs;
  const silence: readonly How[] = (timeoutMs ?? null) === null ? [] : ['time-out'];
  return approve === undefined ? silence : ['error', ...silence];
}

/** An evaluator that is asked once for each question: an answer depends on its question alone. */
class RememberedAnswers implements Evaluator {
  readonly #answers = new Map<string, Promise<Answer>>();

  constructor(private readonly evaluator: Evaluator) {}

  answer(question: Question): Promise<Answer> {
    const key = JSON.stringify(question);
    const known = this.#answers.get(key);
    if (known !== undefined) return known;
    const answer = this.evaluator.answer(question);
    this.#answers.set(key, answer);
    return answer;
  }
}

/** Judges a task that rests. */
function judge({ effects, task, waiting }: Ended): Verdict<Effect> {
  const status = statusName(task.status);
  const waits = waiting === null ? null : statusName(waiting.status);
  const residue = effects.filter(({ isUnwanted }) => isUnwanted || task.outcome !== 'succeeded');
  const why = waiting?.message ?? task.message;
  if (waits === 'rollback_failed') return { result: 'stuck', status, why, residue };
  if (waits !== null) return { result: 'held', status, why, residue };
  if (task.outcome === null) {
    const silence = 'the task waits for an event that never arrives';
    return { result: 'stuck', status, why: silence, residue };
  }
  if (residue.length === 0) return { result: 'clean', status, why, residue };
  return { result: 'residue', status, why: residue.map(sentence).join('; '), residue };
}

function sentence({ command, isPartial, module, run }: Effect): string {
  return `${isPartial ? 'part of ' : ''}${module}.${command} of ${run} was not undone`;
}
