import { statusName, type Task } from '#core';
import type { Effect } from './effects.js';
import type { Started } from './outsiders.js';
import type { PlayOptions } from './play-options.js';
import { PlayedTask } from './played-task.js';
import type { RehearsedFlow } from './scenario.js';
import { Stage, START } from './stage.js';

/** A settled task, and its child tasks with it. */
export interface Ended {
  readonly task: Task;
  /** The task that waits for a person: this one, or a child task; null: none does. */
  readonly waiting: Task | null;
  readonly effects: readonly Effect[];
  /** In the order in which they began. */
  readonly started: readonly Started[];
  /** Virtual time that it took, in milliseconds. */
  readonly tookMs: number;
}

/**
 * One task from its start until it rests, with its child tasks: the core decides, doubles run the
 * commands, and time is what the next thing to happen says.
 */
export class Play {
  readonly #stage = new Stage();
  readonly #root: PlayedTask;

  constructor({ definition, scenario }: RehearsedFlow, options: PlayOptions) {
    const { labels, parameters } = scenario;
    const flow = { definition, version: 1 };
    const from = { flow, request: { parameters, labels }, taskId: 'rehearsal', path: '' };
    const common = { ...options, scenario, stage: this.#stage };
    this.#root = new PlayedTask(from, common, () => undefined);
  }

  /** Plays until nothing moves by itself. Throws where that never comes. */
  async run(): Promise<Ended> {
    await this.#root.begin();
    while (await this.#goOn());
    const all = this.#root.withChildren();
    return {
      task: this.#root.task,
      waiting: waitingOf(all.map(({ task }) => task)),
      effects: this.#root.standing(),
      started: [...this.#stage.started, ...all.flatMap((one) => one.asked())],
      tookMs: this.#stage.now - START,
    };
  }

  async #goOn(): Promise<boolean> {
    const { agenda } = this.#stage;
    const { task } = this.#root;
    const isCalled = callsPerson(task);
    if ((task.outcome !== null || isCalled) && !agenda.isBusy) return false;
    const due = this.#nextDue();
    const wakeAt = due?.task.wakeAt ?? null;
    const { nextAt } = agenda;
    if (nextAt !== null && (isCalled || wakeAt === null || nextAt <= wakeAt)) {
      const next = agenda.take();
      this.#stage.moveTo(nextAt);
      await next?.happen();
      return true;
    }
    if (due === null || wakeAt === null) return false;
    this.#stage.moveTo(Math.max(this.#stage.now + 1, wakeAt));
    await due.tick();
    return true;
  }

  /** The task whose time comes first; null: none has one. */
  #nextDue(): PlayedTask | null {
    return this.#root.withChildren().reduce<PlayedTask | null>((first, one) => {
      const { outcome, wakeAt } = one.task;
      if (outcome !== null || callsPerson(one.task) || !this.#stage.isDue(wakeAt)) return first;
      return first === null || wakeAt < (first.task.wakeAt ?? Infinity) ? one : first;
    }, null);
  }
}

/** That a person is called is the end of a task in a play. */
function callsPerson({ hold }: Task): boolean {
  return hold?.why === 'rollback_failed';
}

function waitingOf(tasks: readonly Task[]): Task | null {
  const called = tasks.find(callsPerson);
  const held = tasks.find(({ status }) => ['on_hold', 'paused'].includes(statusName(status)));
  return called ?? held ?? null;
}
