import { type EventOf, type Task, TASK_STATUS } from '#core';
import { runIdOf } from '#core/scopes';
import type { OperateResult, PersonsEvent } from '#engine';
import type { Cluster } from './cluster.js';
import { ask } from './orders.js';
import {
  drawAct,
  drawAgain,
  drawHelp,
  drawWord,
  type Met,
  whichStay,
  type Who,
} from './outsiders.js';
import type { World } from './world.js';

/** An action of a person, and its answer. */
export interface Deed {
  readonly taskId: string;
  readonly event: PersonsEvent | EventOf<'completed'>;
  answer: 'none' | 'done' | 'refused';
}

/** Persons who act on tasks, at random and where they are needed. */
export class Persons {
  readonly deeds: Deed[] = [];
  /** Tasks whose lists a person wanted more of. */
  private readonly again = new Set<string>();
  /** Deeds whose answer is awaited. */
  busy = 0;

  constructor(
    private readonly world: World,
    private readonly cluster: Cluster,
  ) {}

  /** A person does something to some task. */
  meddle(): void {
    const { random } = this.world;
    const tasks = [...this.cluster.server.tasks.values()];
    if (tasks.length === 0) return;
    const task = random.pick(tasks);
    if (this.world.scenario.programs !== null) {
      void this.perform(task, (who) => drawAct(random, this.among(task), who));
      return;
    }
    const isWaiting = task.status === TASK_STATUS.rollback_failed;
    const kinds = isWaiting ? WHEN_WAITING : WHEN_GOING;
    void this.act(task, random.pick(kinds));
  }

  /** A person stops some task for a while, or lets it go on. */
  pauseOrResume(): void {
    const tasks = [...this.cluster.server.tasks.values()];
    if (tasks.length === 0) return;
    const task = this.world.random.pick(tasks);
    const isPaused = task.status === TASK_STATUS.paused;
    void this.act(task, isPaused ? 'resume_requested' : 'pause_requested');
  }

  /** Another system says something that some task waits for, or will. */
  speak(): void {
    const { random } = this.world;
    const tasks = [...this.cluster.server.tasks.values()];
    if (tasks.length === 0) return;
    const task = random.pick(tasks);
    void this.perform(task, (who) => drawWord(random, task, who));
  }

  /** Everybody whose rollback failed is helped, every pause is ended, and that until it works. */
  help(): void {
    for (const task of this.cluster.server.tasks.values()) {
      if (task.status === TASK_STATUS.rollback_failed) void this.act(task, helpFor(task));
      if (task.status === TASK_STATUS.paused) void this.act(task, 'resume_requested');
      if (this.world.scenario.programs !== null) this.helpOn(task);
      this.askAgain(task);
    }
  }

  /** A person wants more of a list that is done, once. */
  private askAgain(task: Task): void {
    const { taskId } = task.plan;
    if (task.outcome !== 'succeeded' || this.again.has(taskId)) return;
    this.again.add(taskId);
    void this.perform(task, (who) => drawAgain(this.among(task), who));
  }

  private among(task: Task): Met {
    return { task, tasks: this.cluster.server.tasks.values() };
  }

  private helpOn(task: Task): void {
    const { random } = this.world;
    void this.perform(task, (who) => drawHelp(random, task, who));
  }

  /** A person wants this of a task, and asks until there is an answer. */
  async act(task: Task, kind: PersonsEvent['kind']): Promise<void> {
    await this.perform(task, (who) => this.eventOf(task, kind, who));
  }

  /** Sends the wanted event until it is answered, once where it has no key; null: none is sent. */
  private async perform(task: Task, eventBy: (who: Who) => Deed['event'] | null): Promise<void> {
    const { random } = this.world;
    const { taskId } = task.plan;
    const actor = `person-${this.deeds.length + 1}`;
    const key = random.next() < 0.9 ? `deed-${actor}` : null;
    const event = eventBy({ actor, key });
    if (event === null) return;
    const { kind } = event;
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

  private eventOf(task: Task, kind: PersonsEvent['kind'], who: Who): PersonsEvent {
    const { actor, key } = who;
    const person = { actor, key, reason: 'because' };
    if (kind === 'skip_requested') return { kind, ...person, step: failedStep(task) };
    if (kind !== 'reset_requested') return { kind, ...person } as PersonsEvent;
    const { random } = this.world;
    const to = random.pick(task.plan.steps).name;
    const edit = random.next() < 0.5 ? { parameters: { by: actor } } : {};
    return { kind, ...person, to, ...edit, ...whichStay(this.among(task), to, who) };
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

/** A child task that passed a point of no return can only be ended. */
function helpFor({ runs }: Task): 'retry_requested' | 'terminate_requested' {
  const hasFailed = runs.some(({ rollback }) => rollback?.state === 'failed');
  return hasFailed ? 'retry_requested' : 'terminate_requested';
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
