import type { Fault, Scenario, ScriptedAnswer } from '#workshop/rehearsal';
import type { JsonObject } from '../../schemas/http-api.js';
import {
  allSteps,
  type DrilledStep,
  type DrilledTask,
  type DrillGateway,
  type Saying,
  type SayingOrder,
} from './gateway.js';
import type { Awaited } from './messages.js';

/** The play in which a drill takes the part of everybody outside the executors. */
interface OutsidersOptions {
  readonly scenario: Scenario;
  readonly faults: readonly Fault[];
}

/** A task that may wait for answers, and the part before the ids of its runs. */
interface AskingTask {
  readonly task: DrilledTask;
  readonly path: string;
}

/**
 * Everybody outside whom a task may wait for: they say at once what the scenario has them say, yes
 * where it is silent. Each is asked once for each run.
 */
export class DrillOutsiders {
  readonly #asked = new Set<string>();
  /** Attempts whose completion was not taken, by their tokens. */
  readonly #left = new Map<string, Awaited>();
  readonly #approvals: Scenario['approvals'][number][];
  readonly #signals: Scenario['signals'][number][];

  constructor(private readonly options: OutsidersOptions) {
    this.#approvals = [...options.scenario.approvals];
    this.#signals = [...options.scenario.signals];
  }

  /** Answers the steps of a task that wait for an answer. Never rejects. */
  async answer(gateway: DrillGateway, { path, task }: AskingTask): Promise<void> {
    for (const step of allSteps(task.steps)) {
      const run = `${path}${step.id}`;
      if (step.state !== 'waiting' || this.#asked.has(run)) continue;
      const saying = this.#sayingFor(step, run);
      if (saying === null) continue;
      this.#asked.add(run);
      try {
        await gateway.operate(task.taskId, ...saying);
      } catch {
        // Its process may be gone: the next one is told again.
        this.#asked.delete(run);
      }
    }
  }

  /** Completes an attempt whose work is done outside. Never rejects. */
  async complete(gateway: DrillGateway, awaited: Awaited): Promise<void> {
    const { run, taskId, token } = awaited;
    const result = resultOf(answerFor(this.options.scenario, awaited));
    this.#left.set(token, awaited);
    try {
      await gateway.complete(taskId, { run, token, ...result });
      this.#left.delete(token);
    } catch {
      // The attempt is over, or its process is gone: the next one is told again.
    }
  }

  /** Completes attempts once more whose process was gone. Never rejects. */
  async completeLeft(gateway: DrillGateway): Promise<void> {
    for (const awaited of [...this.#left.values()]) await this.complete(gateway, awaited);
  }

  #sayingFor(
    { id, kind, name, wait }: DrilledStep,
    run: string,
  ): readonly [Saying, SayingOrder] | null {
    if (kind === 'approve') {
      const isRefused = this.options.faults.some((fault) => fault.run === run);
      const scripted = taken(this.#approvals, ({ step }) => step === name);
      const verb = isRefused || scripted?.isApproved === false ? 'reject' : 'approve';
      const comment = scripted?.comment || 'the drill says so';
      return [verb, { step: id, comment, key: `answer to ${run}` }];
    }
    if (kind !== 'wait' || wait?.signal === undefined) return null;
    const { signal } = wait;
    const scripted = taken(this.#signals, (one) => one.name === signal);
    const payload = (scripted?.payload ?? {}) as JsonObject;
    return ['signal', { name: signal, payload, key: `signal for ${run}` }];
  }
}

/** The first that fits, which is used up. */
function taken<T>(list: T[], fits: (one: T) => boolean): T | undefined {
  const at = list.findIndex(fits);
  return at < 0 ? undefined : list.splice(at, 1)[0];
}

/** The answer of a scenario to an attempt of a command. */
function answerFor(
  { answers }: Scenario,
  { attempt, command, step }: Awaited,
): ScriptedAnswer | undefined {
  const list = answers.get(step ?? '') ?? answers.get(command) ?? [];
  return list[Math.min(attempt, list.length) - 1];
}

function resultOf(answer: ScriptedAnswer = {}) {
  const { error: code, message = 'failed as the scenario says', output = {}, retryable } = answer;
  if (code === undefined) return { output: output as JsonObject };
  return { error: { code, message, retryable: retryable === true } };
}
