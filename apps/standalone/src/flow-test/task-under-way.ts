import { openActions, runIdOf, runOf, stepAt } from '#core/scopes';
import type { CompletionFailure, StartedTask, TestedTask } from './flow-test.js';
import type { GatewayClient } from './gateway-client.js';
import type { AwaitedNews, PlacedTask } from './standing.js';
import { isNamed, type StepFaults } from './step-faults.js';
import type { TaskRests } from './task-rests.js';

/** The parts of a flow test that its tasks use. */
export interface TaskParts {
  readonly client: GatewayClient;
  readonly faults: StepFaults;
  readonly rests: TaskRests;
}

/** A run that waits, in the task that it is of. */
interface WaitingRun {
  readonly taskId: string;
  readonly run: string;
}

/** A task of a flow test, from its start on. */
export class TaskUnderWay implements StartedTask {
  constructor(
    readonly taskId: string,
    private readonly parts: TaskParts,
  ) {}

  async rest(): Promise<TestedTask> {
    const awaited = await this.parts.rests.rest(this.taskId);
    // One that waits for others may reach the step later.
    if (awaited.every((news) => news.for === 'person')) this.#expectStruck();
    return this.#tested(awaited);
  }

  async look(): Promise<TestedTask> {
    const { awaited } = await this.parts.rests.looks.standing(this.taskId);
    return this.#tested(awaited);
  }

  approve(step: string, comment = 'the test approves'): Promise<void> {
    return this.#judge('approve', step, comment);
  }

  reject(step: string, comment = 'the test rejects'): Promise<void> {
    return this.#judge('reject', step, comment);
  }

  async signal(name: string, payload: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.parts.rests.settled(this.taskId);
    const family = await this.parts.rests.looks.family(this.taskId);
    const receiver = family.find((placed) => waitsForSignal(placed, name));
    const taskId = receiver?.task.plan.taskId ?? this.taskId;
    await this.parts.client.ask(`/v1/tasks/${taskId}:signal`, { name, payload });
  }

  complete(step: string, output: Readonly<Record<string, unknown>> = {}): Promise<void> {
    return this.#complete(step, { output });
  }

  fail(step: string, failure: CompletionFailure): Promise<void> {
    return this.#complete(step, { error: failure });
  }

  async act(action: string, body: Readonly<Record<string, unknown>> = {}): Promise<void> {
    await this.parts.client.ask(`/v1/tasks/${this.taskId}:${action}`, body);
  }

  async #judge(verb: 'approve' | 'reject', step: string, comment: string): Promise<void> {
    const { run, taskId } = await this.#waiting('approval', step);
    await this.parts.client.ask(`/v1/tasks/${taskId}:${verb}`, { step: run, comment });
  }

  async #complete(step: string, result: object): Promise<void> {
    const waiting = await this.#waiting('completion', step);
    const token = this.parts.faults.tokenOf(waiting);
    const run = encodeURIComponent(waiting.run);
    const path = `/v1/tasks/${waiting.taskId}/steps/${run}:complete`;
    await this.parts.client.ask(path, { token, ...result });
  }

  /** The run that waits for this at rest, by the name of its step. Throws where there is none. */
  async #waiting(what: AwaitedNews['for'], name: string): Promise<WaitingRun> {
    const { rests } = this.parts;
    const awaited = await rests.rest(this.taskId);
    const paths = awaited.filter((news) => news.for === what).map(({ step }) => step);
    const family = await rests.looks.family(this.taskId);
    const runs = family.flatMap(({ path, task }) =>
      openActions(task).map(({ step }) => {
        const run = runIdOf(task, step);
        const named = { step: stepAt(task, step)?.name ?? '', run: `${path}${run}` };
        return { taskId: task.plan.taskId, run, named };
      }),
    );
    const found = runs.find(({ named }) => paths.includes(named.run) && isNamed(name, named));
    if (found !== undefined) return found;
    const { status } = await this.#tested(awaited);
    const waits = awaited.map(({ message }) => message).join('; ');
    const state = waits === '' ? `The task is ${status}` : `The task waits: ${waits}`;
    throw new Error(`no step ${name} waits for ${ARTICLES[what]}. ${state}`);
  }

  #expectStruck(): void {
    const [fault] = this.parts.faults.unstruck(this.taskId);
    if (fault === undefined) return;
    const { attempt, direction = 'normal', step, where = 'before' } = fault;
    const which = attempt === undefined ? 'no attempt' : `no attempt ${attempt}`;
    const what = direction === 'normal' ? `step ${step}` : `the rollback of step ${step}`;
    const when = where === 'after' ? ' whose command had done its work' : '';
    throw new Error(`failAt made nothing fail: there was ${which} of ${what}${when}`);
  }

  async #tested(awaited: readonly AwaitedNews[]): Promise<TestedTask> {
    const task = await this.parts.client.ask<TestedTask>(`/v1/tasks/${this.taskId}`);
    return { ...task, waitsFor: awaited };
  }
}

const ARTICLES: Readonly<Record<AwaitedNews['for'], string>> = {
  approval: 'an approval',
  command: 'a command',
  completion: 'a completion',
  lock: 'a lock',
  person: 'a person',
  signal: 'a signal',
};

function waitsForSignal({ task }: PlacedTask, signal: string): boolean {
  return openActions(task).some(({ direction, step }) => {
    const wait = stepAt(task, step)?.wait;
    const isWaiting = runOf(task, { direction, step })?.state === 'waiting';
    return isWaiting && wait !== undefined && 'signal' in wait && wait.signal === signal;
  });
}
