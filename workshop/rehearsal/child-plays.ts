import {
  type ChildCounts,
  childPath,
  type ChildResult,
  countChildren,
  type EventOf,
  type FlowOfTask,
  type JsonObject,
  RESULTS_MAX,
  statusName,
  type StepPlan,
  type Task,
  type TaskEvent,
  type TaskStatusName,
} from '#core';
import {
  childQuestion,
  type ChildRound,
  type ChildrenPlan,
  childrenToTend,
  childRequest,
  type ChildSource,
  childSource,
  failedItems,
  numberOf,
  partOfFlow,
} from '#core/children';
import { stepAt } from '#core/scopes';
import { childOutput, LabelsFailed } from '#core/values';
import type { PlayedFrom, PlayedOptions } from './play.js';
import type { ScriptedAnswer } from './scenario.js';

/** A task of a play, as its parent and its child tasks deal with it. */
interface Played {
  readonly path: string;
  readonly task: Task;
  begin(): Promise<void>;
  apply(event: TaskEvent): Promise<void>;
}

/** A child task in one of these states goes forward. */
const FORWARD: readonly TaskStatusName[] = ['not_started', 'running', 'on_hold', 'paused'];

/** Said by a parent that goes back. */
const BACK = { actor: 'rehearsal', reason: 'the parent rolls back', key: null } as const;

/**
 * The child tasks of one task of a play. They are started, undone and counted as the engine does
 * it, and are tasks of the same play.
 */
export class ChildPlays<T extends Played> {
  /** By the run that they are of, in the order of their indexes. */
  readonly #byRun = new Map<string, T[]>();
  #isLooking = false;

  constructor(
    private readonly parent: Played,
    private readonly options: PlayedOptions,
    private readonly make: (from: PlayedFrom) => T,
  ) {}

  /** All there ever were. */
  all(): readonly T[] {
    return [...this.#byRun.values()].flat();
  }

  /** Looks after them once what happens just now is over. */
  look(): void {
    if (this.#isLooking) return;
    this.#isLooking = true;
    const { agenda, now } = this.options.stage;
    const happen = async (): Promise<void> => {
      this.#isLooking = false;
      for (const children of childrenToTend(this.parent.task)) {
        if (children.way === 'forward') await this.#forward(children);
        else await this.#back(children);
      }
    };
    agenda.add({ at: now, isOutside: false, happen });
  }

  #of({ run }: ChildRound): readonly T[] {
    return this.#byRun.get(run) ?? [];
  }

  #counts(children: ChildrenPlan): ChildCounts {
    return countChildren(this.#of(children).map(({ task }) => [task.status, 1] as const));
  }

  /** Says how they stand, and starts as many as may be started then. */
  async #forward(children: ChildrenPlan): Promise<void> {
    await this.parent.apply(this.#eventOf(children));
    const now = childrenToTend(this.parent.task).find(({ run }) => run === children.run);
    if (now?.way !== 'forward') return;
    const source = childSource(this.parent.task, now);
    const faults: string[] = [];
    for (let index = children.tally.started; index < now.tally.started; index += 1) {
      const fault = await this.#start(source, index);
      if (fault !== null) faults.push(fault);
    }
    const [message] = faults;
    if (message === undefined) return;
    const counted = { run: children.run, counts: this.#counts(children) };
    const code = 'EXPRESSION_FAILED';
    await this.parent.apply({ kind: 'children_counted', ...counted, code, message });
  }

  #eventOf(children: ChildrenPlan): EventOf<'children_counted'> {
    const { run, tally } = children;
    const counts = this.#counts(children);
    const counted = { kind: 'children_counted', run, counts } as const;
    const { flow, started, total } = tally;
    if (children.isUnchosen) return { ...counted, chosen: this.#failedNumbers(children) };
    if (flow !== null && started === 0) {
      if (this.#scriptOf(children, 0) !== null || this.options.flows.has(flow.name)) {
        return { ...counted, version: flow.version ?? 1 };
      }
      return { ...counted, message: `flow ${flow.name} is not in the tested files` };
    }
    const isOver = started === total && counts.active === 0;
    return isOver ? { ...counted, results: this.#results(children) } : counted;
  }

  #results(children: ChildrenPlan): readonly ChildResult[] {
    const last = new Map<number, Task>();
    for (const round of [...children.earlier, children]) {
      for (const [index, { task }] of this.#of(round).entries()) {
        last.set(numberOf({ round, index }), task);
      }
    }
    const inOrder = [...last].sort(([one], [other]) => one - other);
    return inOrder.slice(0, RESULTS_MAX).map(([index, task]) => {
      const status = statusName(task.status);
      const message = task.outcome === 'succeeded' ? null : (task.message ?? null);
      return { index, taskId: task.plan.taskId, status, output: childOutput(task), message };
    });
  }

  #failedNumbers({ earlier }: ChildrenPlan): readonly number[] {
    const rounds = earlier.map((round) => {
      const all = Array.from(this.#of(round).entries());
      const failed = all.filter(([, { task }]) => task.outcome !== 'succeeded');
      return { round, failed: failed.map(([index]) => index) };
    });
    return failedItems(rounds);
  }

  /** Resolves to why it cannot be made; null: it is there. */
  async #start(source: ChildSource, index: number): Promise<string | null> {
    const { children, task } = source;
    const number = numberOf({ round: children, index });
    const question = childQuestion(source, index);
    const answer = question && (await this.options.evaluator.answer(question));
    if (answer !== null && 'fault' in answer) {
      const { member, reason } = answer.fault;
      return `the expression in ${member} failed for item ${number}: ${reason}`;
    }
    const known = (answer?.values['parameters'] ?? null) as JsonObject | null;
    const { run } = children;
    const request = childRequest(source, index, known);
    const child = this.make({
      flow: this.#flowOf(source, number),
      request,
      taskId: `${task.plan.taskId}.${run}.${index}`,
      path: `${this.parent.path}${request.parent ? childPath(request.parent) : ''}`,
    });
    try {
      await child.begin();
    } catch (error) {
      if (!(error instanceof LabelsFailed)) throw error;
      return `item ${number}: ${error.message}`;
    }
    this.#byRun.set(run, [...this.#of(children), child]);
    return null;
  }

  #flowOf(source: ChildSource, index: number): FlowOfTask {
    const scripted = this.#scriptOf(source.children, index);
    if (scripted !== null) return scripted;
    const { flow } = source.children.tally;
    const definition = flow === null ? undefined : this.options.flows.get(flow.name);
    return definition === undefined
      ? partOfFlow(source)
      : { definition, version: flow?.version ?? 1 };
  }

  /** Null: the scenario says nothing of these child tasks. */
  #scriptOf({ holder }: ChildrenPlan, index: number): FlowOfTask | null {
    const name = stepAt(this.parent.task, holder)?.name ?? '';
    const answers = this.options.scenario.answers.get(name) ?? [];
    const answer = answers[Math.min(index, answers.length - 1)];
    return answer === undefined ? null : scriptedChild(name, answer);
  }

  /**
   * Has those undone that did something, the highest index first, at most `concurrency` at a time.
   */
  async #back(children: ChildrenPlan): Promise<void> {
    const { concurrency, run } = children;
    const counts = this.#counts(children);
    await this.parent.apply({ kind: 'children_counted', run, counts });
    const lastFirst = this.#of(children).toReversed();
    const active = lastFirst.filter(({ task }) => task.outcome === null);
    for (const child of active.slice(0, concurrency)) {
      if (FORWARD.includes(statusName(child.task.status)))
        await child.apply({ kind: 'rollback_requested', ...BACK });
    }
    const done = lastFirst.filter(({ task }) => task.outcome === 'succeeded');
    for (const child of done.slice(0, Math.max(0, concurrency - active.length))) {
      await child.apply({ kind: 'undo_requested', isByParent: true, ...BACK });
    }
  }
}

/** The flow of a child task whose end the scenario gives: nothing of its own flow is played. */
function scriptedChild(name: string, answer: ScriptedAnswer): FlowOfTask {
  const { error, message = 'failed as the scenario says', output = null, takesMs = 0 } = answer;
  const before: readonly StepPlan[] =
    takesMs > 0 ? [{ name: 'takes', needs: [], wait: { for: takesMs }, rollback: null }] : [];
  const about = { name: 'ends', needs: before.map((_step, index) => index) };
  const last: StepPlan =
    error === undefined
      ? { ...about, succeed: { output } }
      : { ...about, fail: { code: error, message } };
  const nothing = { description: null, input: null, timeoutMs: null };
  return { definition: { name, ...nothing, steps: [...before, last] }, version: 1 };
}
