import { runIdOf, type Task, TASK_STATUS } from '#core';
import type { OperateResult, PersonsEvent } from '#engine';
import type { Cluster } from './cluster.js';
import { ask } from './orders.js';
import type { World } from './world.js';

/** What a person did and was told. */
export interface Deed {
  readonly taskId: string;
  readonly event: PersonsEvent;
  answer: 'none' | 'done' | 'refused';
}

/** Persons who act on tasks, at random and where they are needed. */
export class Persons {
  readonly deeds: Deed[] = [];
  /** Deeds whose answer is awaited. */
  busy = 0;

  constructor(
    private readonly world: World,
    private readonly cluster: Cluster,
  ) {}

  /** Somebody does something to some task. */
  meddle(): void {
    const { random } = this.world;
    const tasks = [...this.cluster.server.tasks.values()];
    if (tasks.length === 0) return;
    const task = random.pick(tasks);
    const isWaiting = task.status === TASK_STATUS.rollback_failed;
    const kinds = isWaiting ? WHEN_WAITING : WHEN_GOING;
    void this.act(task, random.pick(kinds));
  }

  /** Somebody stops some task for a while, or lets it go on. */
  pauseOrResume(): void {
    const tasks = [...this.cluster.server.tasks.values()];
    if (tasks.length === 0) return;
    const task = this.world.random.pick(tasks);
    const isPaused = task.status === TASK_STATUS.paused;
    void this.act(task, isPaused ? 'resume_requested' : 'pause_requested');
  }

  /** Everybody whose rollback failed is helped, every pause is ended, and that until it works. */
  help(): void {
    for (const task of this.cluster.server.tasks.values()) {
      if (task.status === TASK_STATUS.rollback_failed) void this.act(task, 'retry_requested');
      if (task.status === TASK_STATUS.paused) void this.act(task, 'resume_requested');
    }
  }

  /** Somebody wants this of a task, and asks until there is an answer. */
  async act(task: Task, kind: PersonsEvent['kind']): Promise<void> {
    const { random } = this.world;
    const { taskId } = task.plan;
    const actor = `person-${this.deeds.length + 1}`;
    const key = random.next() < 0.9 ? `deed-${actor}` : null;
    const event = this.eventOf(task, kind, { actor, key });
    const revision = random.next() < 0.3 ? task.revision : undefined;
    const deed: Deed = { taskId, event, answer: 'none' };
    this.deeds.push(deed);
    this.world.tell(`${actor} asks for ${kind} of ${taskId}`);
    this.busy += 1;
    // Without a key nobody asks twice: it could count twice.
    for (let turn = 0; deed.answer === 'none' && turn < (key === null ? 1 : 5); turn++) {
      deed.answer = await this.send(deed, revision);
      if (deed.answer === 'none') await this.world.line.sleep(random.between(50, 1_000));
    }
    this.busy -= 1;
    this.world.tell(`${actor}: ${deed.answer}`);
    this.world.see(`person's action ${deed.answer}`);
  }

  private eventOf(
    task: Task,
    kind: PersonsEvent['kind'],
    { actor, key }: { readonly actor: string; readonly key: string | null },
  ): PersonsEvent {
    const person = { actor, key, reason: 'because' };
    if (kind === 'skip_requested') return { kind, ...person, step: failedStep(task) };
    if (kind === 'signal_received') return { kind, ...person, name: 'go', payload: {} };
    if (kind === 'judged') return { kind, ...person, step: failedStep(task), isApproved: true };
    if (kind !== 'reset_requested') return { kind, ...person };
    const { random } = this.world;
    const to = random.pick(task.plan.steps).name;
    return { kind, ...person, to, ...(random.next() < 0.5 && { parameters: { by: actor } }) };
  }

  private async send({ event, taskId }: Deed, revision?: number): Promise<Deed['answer']> {
    try {
      const result = await ask(this.cluster, (engine) => engine.operate(taskId, event, revision));
      return answerOf(result);
    } catch {
      return 'none';
    }
  }
}

const WHEN_WAITING = ['retry_requested', 'skip_requested', 'terminate_requested'] as const;
const WHEN_GOING = [
  'rollback_requested',
  'rollback_requested',
  'terminate_requested',
  'retry_requested',
  'reset_requested',
  'reset_requested',
  'reset_requested',
] as const;

function failedStep(task: Task): string {
  const at = task.runs.findIndex(({ rollback }) => rollback?.state === 'failed');
  return runIdOf(task, Math.max(at, 0));
}

function answerOf(result: OperateResult): Deed['answer'] {
  if (result.kind === 'committed') return 'done';
  // It was done before, by a request whose answer was lost.
  return result.kind === 'ignored' ? 'done' : 'refused';
}
