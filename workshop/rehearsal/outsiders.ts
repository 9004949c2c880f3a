import type { Direction, StepPlan, Task, TaskEvent } from '#core';
import { openActions, runIdOf, stepAt } from '#core/scopes';
import type { Fault, Scenario, ScriptedApproval } from './scenario.js';

/** Something that is said from outside, at a moment. */
interface Saying {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly event: TaskEvent;
}

/** An action that a play started, or a step that began to wait for an answer from outside. */
export interface Started {
  readonly direction: Direction;
  /** Id of the run. */
  readonly run: string;
  readonly plan: StepPlan;
}

/** Delay of signals and approvals that the scenario does not mention, in milliseconds. */
const SOON_MS = 1_000;
const ACTOR = 'rehearsal';

/** Options of the outsiders. */
interface OutsidersOptions {
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
  /** Milliseconds since 1970. */
  readonly startedAt: number;
}

/**
 * Everybody outside whom a task may wait for. Signals and approvals that the scenario does not
 * mention come soon, so that a flow can be rehearsed without a word about them.
 */
export class Outsiders {
  /** Steps that have begun to wait for an answer, by the ids of their runs. */
  readonly asked = new Map<string, Started>();
  readonly #approvals: ScriptedApproval[];

  constructor(private readonly options: OutsidersOptions) {
    this.#approvals = [...options.scenario.approvals];
  }

  /** The signals of the scenario. */
  signals(): readonly Saying[] {
    const { scenario, startedAt } = this.options;
    return scenario.signals.map(({ afterMs, name, payload }, n) => {
      const about = { actor: ACTOR, reason: 'the scenario', key: `signal ${n}`, name, payload };
      return { at: startedAt + afterMs, event: { kind: 'signal_received', ...about } };
    });
  }

  /** Answers to the steps that have begun to wait for one; once for each run. */
  answersFor(task: Task, now: number): readonly Saying[] {
    return openActions(task).flatMap(({ direction, step }): readonly Saying[] => {
      const plan = stepAt(task, step);
      const asks = plan?.approve !== undefined || signalOf(plan) !== null;
      if (!asks || direction !== 'normal') return [];
      if (task.runs[step]?.normal.state !== 'waiting') return [];
      const run = runIdOf(task, step);
      if (plan === undefined || this.asked.has(run)) return [];
      this.asked.set(run, { direction, run, plan });
      return this.#answer(plan, run, now);
    });
  }

  #answer(plan: StepPlan, run: string, now: number): readonly Saying[] {
    const fault = this.options.faults.find((one) => one.run === run && one.direction === 'normal');
    if (fault?.how === 'time-out') return [];
    const signal = signalOf(plan);
    if (signal === null) return [this.#judge(plan, run, { now, isRefused: fault !== undefined })];
    if (this.options.scenario.signals.some(({ name }) => name === signal)) return [];
    const about = { actor: ACTOR, reason: 'soon', key: `signal for ${run}` };
    const event = { kind: 'signal_received', ...about, name: signal, payload: {} } as const;
    return [{ at: now + SOON_MS, event }];
  }

  #judge(
    { name }: StepPlan,
    run: string,
    { isRefused, now }: { readonly now: number; readonly isRefused: boolean },
  ): Saying {
    const index = this.#approvals.findIndex(({ step }) => step === name);
    const [scripted] = index < 0 ? [] : this.#approvals.splice(index, 1);
    const at = scripted ? this.options.startedAt + scripted.afterMs : now + SOON_MS;
    const isApproved = !isRefused && (scripted?.isApproved ?? true);
    const about = { actor: ACTOR, reason: scripted?.comment ?? '', key: `answer to ${run}` };
    return { at: Math.max(at, now), event: { kind: 'judged', ...about, step: run, isApproved } };
  }
}

/** The signal that a step waits for; null: none. */
function signalOf(plan: StepPlan | undefined): string | null {
  const what = plan?.wait;
  return what !== undefined && 'signal' in what ? what.signal : null;
}
