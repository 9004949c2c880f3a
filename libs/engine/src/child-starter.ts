import type { FailureName, FlowOfTask, FlowVersion, JsonObject, TaskRequest } from '#core';
import {
  childKey,
  childQuestion,
  childRequest,
  type ChildSource,
  numberOf,
  partOfFlow,
} from '#core/children';
import { endedTask, proposeTask } from '#core/transitions';
import { answerFor } from './answer-for.js';
import { holdsSeals, isAsOf } from './handed-secrets.js';
import type { EngineParts } from './parts.js';
import { sealRequest } from './seal-request.js';
import type { TaskMover } from './task-mover.js';

/** Flow versions that are kept in memory. */
const FLOWS_KEPT = 100;

/** Why a child task cannot be made. */
interface StartFault {
  readonly code: FailureName;
  readonly message: string;
}

/** Makes child tasks. Their ids follow from their parents, so that doing it twice is harmless. */
export class ChildStarter {
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
    if (answer !== null && 'fault' in answer) {
      const { member, reason } = answer.fault;
      const number = numberOf({ round: source.children, index });
      const message = `the expression in ${member} failed for item ${number}: ${reason}`;
      return { code: 'EXPRESSION_FAILED', message };
    }
    const known = (answer?.values['parameters'] ?? null) as JsonObject | null;
    const { flow, options, request } = await this.madeOf(source, index, known);
    const message = await this.withheld(source, request);
    if (message !== null) return { code: 'NOT_ALLOWED', message };
    await this.mover.insertOnce(proposeTask(flow, request, options));
    return null;
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
