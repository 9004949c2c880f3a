import {
  type FlowDefinition,
  type FlowOfTask,
  statusName,
  type StepPlan,
  type Task,
  type TaskRequest,
} from '#core';
import { stepAt } from '#core/scopes';
import type { Evaluator } from '#ports';
import type { DoubleOptions } from './double.js';
import type { Effect } from './effects.js';
import type { Started } from './outsiders.js';
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

/** Options of a play, apart from its flow. */
export interface PlayOptions extends Omit<DoubleOptions, 'scenario'> {
  readonly evaluator: Evaluator;
  /** The flows that child tasks may be of, by their names. */
  readonly flows: ReadonlyMap<string, FlowDefinition>;
  /** Notes how far the tasks of the play come. */
  readonly reach?: Reach;
}

/** Options that all tasks of one play share. */
export interface PlayedOptions extends PlayOptions, Pick<DoubleOptions, 'scenario'> {
  readonly stage: Stage;
}

/** The inputs from which a task of a play is created. */
export interface PlayedFrom {
  readonly flow: FlowOfTask;
  readonly request: TaskRequest;
  readonly taskId: string;
  /** Prefix of the ids of its runs, such as `each#2/` for a second child task; or ''. */
  readonly path: string;
}

/** How far plays have come at one step. */
interface Reached {
  /** Whether it began, was passed over, and went round once more. */
  readonly facts: Set<'begun' | 'skipped' | 'again'>;
  /** Its lists of steps that were entered: `case 0`, `catch 1`. */
  readonly lists: Set<string>;
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

/** How far plays of a flow have come, all of them together: which of its steps and lists ran. */
export class Reach {
  readonly #steps = new Map<StepPlan, Reached>();

  /** Notes how far a task has come. */
  look(task: Task): void {
    for (const [place, run] of task.runs.entries()) {
      const { state } = run.normal;
      // A queued step may still be asked for its condition.
      if (state === 'pending' || state === 'queued') continue;
      this.#at(stepAt(task, place))?.facts.add(state === 'skipped' ? 'skipped' : 'begun');
    }
    for (const { holder, kind, list, round } of task.scopes) {
      const reached = this.#at(stepAt(task, holder));
      if (round > 0) reached?.lists.add(`${kind} ${list}`);
      if (kind === 'round' && round > 1) reached?.facts.add('again');
    }
  }

  /** Whether the step began, was passed over, or went round once more, in some play. */
  has(step: StepPlan, fact: 'begun' | 'skipped' | 'again'): boolean {
    return this.#steps.get(step)?.facts.has(fact) ?? false;
  }

  /** Whether a list of the step was entered: a case, where `otherwise` is the last, or a catch. */
  hasEntered(step: StepPlan, kind: 'case' | 'catch', list: number): boolean {
    return this.#steps.get(step)?.lists.has(`${kind} ${list}`) ?? false;
  }

  #at(step: StepPlan | undefined): Reached | undefined {
    if (step === undefined) return undefined;
    const known = this.#steps.get(step);
    if (known !== undefined) return known;
    const fresh: Reached = { facts: new Set(), lists: new Set() };
    this.#steps.set(step, fresh);
    return fresh;
  }
}
