import {
  type ChildCounts,
  type ChildRef,
  type EventOf,
  FAILED_CHILD,
  type FailureName,
  type FlowOfTask,
  type FlowVersion,
  HELD_CHILD,
  type JsonObject,
  type PersonsAction,
  type Task,
  TASK_STATUS,
  type TaskRequest,
} from '#core';
import {
  childKey,
  childQuestion,
  type ChildrenPlan,
  childrenToTend,
  childRequest,
  childSource,
  type ChildSource,
  numberOf,
  partOfFlow,
} from '#core/children';
import { refusalOfFlow } from '#core/flow';
import { endedTask } from '#core/transitions';
import { LabelsFailed } from '#core/values';
import { answerFor } from './answer-for.js';
import type { ChildCounter } from './child-counter.js';
import { failedNumbers, missingChildren, resultsOf } from './child-reports.js';
import { holdsSeals, isAsOf } from './handed-secrets.js';
import { TaskOperation } from './operate-task.js';
import type { EngineParts } from './parts.js';
import { sealRequest } from './sealing.js';
import type { TaskMover } from './task-mover.js';

/** The counts of child tasks of which none was started. */
const NONE_FOUND: ChildCounts = { found: 0, succeeded: 0, failed: 0, active: 0, held: 0 };

/** Flow versions that are kept in memory. */
const FLOWS_KEPT = 100;

/** Why a child task cannot be made. */
interface StartFault {
  readonly code: FailureName;
  readonly message: string;
}

/** Starts child tasks, this many at a time, and tells their parent how they stand. */
export class ChildrenForward {
  readonly starter: ChildStarter;
  private readonly operation: TaskOperation;

  constructor(
    private readonly parts: EngineParts,
    private readonly mover: TaskMover,
    private readonly counter: ChildCounter,
  ) {
    this.starter = new ChildStarter(parts, mover);
    this.operation = new TaskOperation(mover, parts.store);
  }

  /** Looks after the child tasks of one step. Throws `StoreUnavailable`. */
  async tend(task: Task, children: ChildrenPlan): Promise<void> {
    const { replaces, run, tally } = children;
    if (replaces !== null && !(await this.replace(task, children, replaces))) return;
    const counts = tally.started === 0 ? NONE_FOUND : await this.counter.count(task, children);
    if (counts.found < tally.started) await this.startMissing(task, children, counts.found);
    const event = await this.eventOf(task, children, counts);
    const next = await this.mover.tell(task, event);
    const grown = next && childrenToTend(next).find((other) => other.run === run);
    if (!next || !grown || grown.way !== 'forward') return;
    const indexes = range(tally.started, grown.tally.started);
    await this.start(next, grown, indexes);
  }

  private async eventOf(
    task: Task,
    children: ChildrenPlan,
    counts: ChildCounts,
  ): Promise<EventOf<'children_counted'>> {
    const { run, tally } = children;
    const { flow, started, total } = tally;
    const counted = { kind: 'children_counted', run, counts } as const;
    if (children.replaces !== null) return { ...counted, isReplaced: true };
    if (children.isUnchosen) {
      return { ...counted, chosen: await failedNumbers(this.parts, task, children) };
    }
    if (flow !== null && started === 0) {
      const found = await this.parts.flows.getFlow(flow.name, flow.version ?? undefined);
      if (found !== null) {
        const message = refusalOfFlow(task.plan.limits, found.definition);
        if (message !== null) return { ...counted, code: 'NOT_ALLOWED', message };
        return { ...counted, version: found.version };
      }
      const version = flow.version === null ? '' : ` in version ${flow.version}`;
      return { ...counted, message: `flow ${flow.name}${version} does not exist` };
    }
    const isOver = started === total && counts.active === 0 && counts.found >= started;
    if (!isOver) return counted;
    const { hasSecrets, results } = await resultsOf(this.parts, task, children);
    return { results, ...(hasSecrets && { hasSecrets }), ...counted };
  }

  /**
   * Has the child task undone in whose place another is to come. Resolves to whether it is; one
   * whose rollback failed waits for a person, and its parent for it.
   */
  private async replace(task: Task, { run }: ChildrenPlan, former: ChildRef): Promise<boolean> {
    const of = { taskId: task.plan.taskId, run: former.run, before: former.index + 1, limit: 1 };
    const [child] = await this.parts.children.find(of);
    if (child === undefined || FAILED_CHILD.includes(child.status)) return true;
    const held = HELD_CHILD.includes(child.status) ? 1 : 0;
    const counts = { ...NONE_FOUND, held };
    await this.mover.tell(task, { kind: 'children_counted', run, counts });
    if (child.status !== TASK_STATUS.succeeded) return false;
    await this.operation.operate(child.taskId, undoBy(task, 'the item is retried'));
    return false;
  }

  private async startMissing(task: Task, children: ChildrenPlan, found: number): Promise<void> {
    await this.start(task, children, await missingChildren(this.parts, task, { children, found }));
  }

  /** One that cannot be made fails all of them. */
  private async start(
    task: Task,
    children: ChildrenPlan,
    indexes: readonly number[],
  ): Promise<void> {
    if (indexes.length === 0) return;
    const source = childSource(task, children);
    const faults = await Promise.all(indexes.map((index) => this.starter.start(source, index)));
    const fault = faults.find((one) => one !== null);
    if (fault === undefined || fault === null) return;
    const { run } = children;
    const counts = await this.parts.children.count({ taskId: task.plan.taskId, run });
    await this.mover.tell(task, { kind: 'children_counted', run, counts, ...fault });
  }
}

/** The numbers from one on, up to and without another. */
function range(from: number, end: number): readonly number[] {
  return Array.from({ length: Math.max(0, end - from) }, (_, n) => from + n);
}

/** Makes child tasks. Their ids follow from their parents, so that doing it twice is harmless. */
class ChildStarter {
  private readonly flows = new Map<string, FlowVersion>();

  constructor(
    private readonly parts: EngineParts,
    private readonly mover: TaskMover,
  ) {}

  /**
   * Stores a child task, unless it is there, and has its first steps started. Resolves to why it
   * cannot be made, or null. Throws `StoreUnavailable`.
   */
  async start(source: ChildSource, index: number): Promise<StartFault | null> {
    const question = childQuestion(source, index);
    const { entropy, evaluator } = this.parts;
    const { hasSecrets } = source.task;
    const terms = { entropy, evaluator, hasSecrets };
    const answer = question && (await answerFor(terms, question));
    const number = numberOf({ round: source.children, index });
    if (answer !== null && 'fault' in answer) {
      const { member, reason } = answer.fault;
      const message = `the expression in ${member} failed for item ${number}: ${reason}`;
      return { code: 'EXPRESSION_FAILED', message };
    }
    const known = (answer?.values['parameters'] ?? null) as JsonObject | null;
    const { flow, options, request } = await this.madeOf(source, index, known);
    const message = await this.withheld(source, request);
    if (message !== null) return { code: 'NOT_ALLOWED', message };
    try {
      await this.mover.insertOnce(flow, request, options.taskId);
      return null;
    } catch (error) {
      if (!(error instanceof LabelsFailed)) throw error;
      return { code: 'EXPRESSION_FAILED', message: `item ${number}: ${error.message}` };
    }
  }

  /**
   * Stores an ended task in the place of a child task that was never stored, so that nobody who is
   * late can do that any more; unless it is there after all.
   */
  async bar(source: ChildSource, index: number): Promise<void> {
    const { flow, options, request } = await this.madeOf(source, index, null);
    const reason = 'the parent task went back before this task started';
    await this.parts.store.insert(endedTask(flow, request, { ...options, reason }));
  }

  /** Why a child task may not have the secrets that its request hands on; null: it may. */
  private async withheld(source: ChildSource, request: TaskRequest): Promise<string | null> {
    const { limits } = source.task.plan;
    if (limits?.secretsUntil === undefined || !holdsSeals(request.parameters)) return null;
    const flow = await this.flowOf(source);
    if (flow === null || (await isAsOf(this.parts.flows, flow, limits.secretsUntil))) return null;
    const { definition, version } = flow;
    return (
      `flow ${definition.name} has other steps since its version ${version}, which is newer than ` +
      'the secrets that it is to be given: send them again'
    );
  }

  private async madeOf(source: ChildSource, index: number, known: JsonObject | null) {
    const { children, task } = source;
    const flow: FlowOfTask = (await this.flowOf(source)) ?? partOfFlow(source);
    const place = { at: task.plan.createdAt, number: index };
    const taskId = this.parts.entropy.idOf(childKey(task, children.run, index), place);
    const { secrets } = this.mover;
    const { definition } = flow;
    const plain = childRequest(source, index, known);
    const request = sealRequest(secrets, plain, { definition, taskId });
    return { flow, request, options: { taskId, moment: this.mover.moment() } };
  }

  /** Versions never change. Null: they run steps of their parent's flow. */
  private async flowOf({ children }: ChildSource): Promise<FlowVersion | null> {
    const { flow } = children.tally;
    if (flow === null || flow.version === null) return null;
    const key = `${flow.name}@${flow.version}`;
    const known = this.flows.get(key);
    if (known !== undefined) return known;
    const found = await this.parts.flows.getFlow(flow.name, flow.version);
    if (found === null) throw new Error(`flow ${key} does not exist any more`);
    if (this.flows.size >= FLOWS_KEPT) this.flows.clear();
    this.flows.set(key, found);
    return found;
  }
}

/** An act of a parent: what it does again has no effect, because its child has moved. */
export function actOf({ plan }: Task, reason: string): PersonsAction {
  return { actor: `task ${plan.taskId}`, reason, key: null };
}

/** A parent has a child task undone that succeeded. */
export function undoBy(parent: Task, reason: string): EventOf<'undo_requested'> {
  return { kind: 'undo_requested', isByParent: true, ...actOf(parent, reason) };
}
