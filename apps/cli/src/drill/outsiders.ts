import { innerLists, type FlowDefinition, type StepPlan } from '#core';
import type { Fault, Scenario } from '#rehearsal';
import type { BackstepClient } from '../client/backstep-client.js';
import type { JsonObject, StepReport, TaskReport } from '../client/types.js';
import { allSteps } from './steps-of.js';
import type { Awaited } from './messages.js';

/** The play in which a drill takes the part of everybody outside the executors. */
interface OutsidersOptions {
  readonly definition: FlowDefinition;
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
}

/**
 * Everybody outside whom a task may wait for: they say at once what the scenario has them say, yes
 * where it is silent. Each is asked once for each run.
 */
export class DrillOutsiders {
  readonly #asked = new Set<string>();
  readonly #plans: readonly StepPlan[];

  constructor(private readonly options: OutsidersOptions) {
    this.#plans = options.definition.steps.flatMap(withInner);
  }

  /** Answers the steps of a task that wait for somebody. Never rejects. */
  async answer(client: BackstepClient, task: TaskReport): Promise<void> {
    for (const step of allSteps(task.steps)) {
      if (step.state !== 'waiting' || this.#asked.has(step.id)) continue;
      const say = this.#sayingFor(client, task, step);
      if (say === null) continue;
      this.#asked.add(step.id);
      try {
        await say();
      } catch {
        // Its process may be gone: the next one is told again.
        this.#asked.delete(step.id);
      }
    }
  }

  /** Completes an attempt whose work somebody outside does. Never rejects. */
  async complete(client: BackstepClient, { run, taskId, token }: Awaited): Promise<void> {
    await client.complete(taskId, { run, token, output: {} }).catch(() => {
      // The attempt is over: its process is gone, or the task has turned back.
    });
  }

  #sayingFor(
    client: BackstepClient,
    { taskId }: TaskReport,
    { id, kind, name }: StepReport,
  ): (() => Promise<unknown>) | null {
    if (kind === 'approve') {
      const isRefused = this.options.faults.some(({ run }) => run === id);
      const scripted = this.options.scenario.approvals.find(({ step }) => step === name);
      const verb = isRefused || scripted?.isApproved === false ? 'reject' : 'approve';
      const comment = scripted?.comment ?? 'the drill says so';
      return () => client.operate(taskId, verb, { step: id, comment, key: `answer to ${id}` });
    }
    const signal = this.#signalOf(name);
    if (kind !== 'wait' || signal === null) return null;
    const scripted = this.options.scenario.signals.find((one) => one.name === signal);
    const payload = (scripted?.payload ?? {}) as JsonObject;
    const order = { name: signal, payload, key: `signal for ${id}` };
    return () => client.operate(taskId, 'signal', order);
  }

  #signalOf(step: string): string | null {
    const plan = this.#plans.find(({ name, wait }) => name === step && wait !== undefined);
    return plan?.wait !== undefined && 'signal' in plan.wait ? plan.wait.signal : null;
  }
}

function withInner(step: StepPlan): readonly StepPlan[] {
  return [step, ...innerLists(step).flat().flatMap(withInner)];
}
