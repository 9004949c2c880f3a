import type { FlowOfTask, Moment, Question, Task, TaskEvent, TaskRequest } from '#core';
import { propose, type Proposed, proposeTask } from '#core/transitions';
import { type InsertResult, type Secrets, withFlowLabels } from '#ports';
import { answerFor } from './answer-for.js';
import { messagesOf } from './dispatched.js';
import type { EngineParts } from './parts.js';
import { Reservation } from './reservation.js';
import type { StrayClaims, StrayPieces } from './stray-claims.js';
import type { Decide, WriteResult } from './task-writer.js';

/** Proposes a change of a document, once more for a newer one. Must be repeatable. */
type Propose = (task: Task, moment: Moment) => Proposed;

/**
 * A new task. `sent` of one that was stored: the broker has its messages, or will not take them
 * now. The others are as in `InsertResult`.
 */
type Inserted =
  | { readonly kind: 'inserted'; readonly task: Task; readonly sent: Promise<void> }
  | { readonly kind: 'present'; readonly task: Task }
  | Exclude<InsertResult, { readonly kind: 'inserted' | 'present' }>;

/** The pieces of the engine that move a task. */
export interface MoverPieces extends StrayPieces {
  readonly strays: StrayClaims;
}

/**
 * Moves tasks from outside a step: stores what is proposed, with claims on those of the steps it
 * queues that this process can run, starts those, and sends the others to their modules. Where the
 * store does not answer, it throws `StoreUnavailable`, and what the lost write may have claimed is
 * looked for.
 */
export class TaskMover {
  constructor(
    private readonly parts: Pick<EngineParts, 'entropy' | 'evaluator' | 'observer' | 'store'>,
    private readonly pieces: MoverPieces,
  ) {}

  /** Seals the secrets of new tasks. */
  get secrets(): Secrets {
    return this.pieces.state.keeper.secrets;
  }

  /** Time and chance for one decision. */
  moment(): Moment {
    return this.pieces.state.writer.moment();
  }

  /** Moves a task; `start`: the document, or an id to load it by. */
  async move(start: Task | string, proposeFor: Propose): Promise<WriteResult> {
    const { runner, state, strays, taker } = this.pieces;
    const reservation = new Reservation(state.slots);
    const claiming: Decide = (task, moment) =>
      taker.claimQueued(proposeFor(task, moment), reservation);
    let result: WriteResult;
    try {
      result = await (typeof start === 'string'
        ? state.writer.writeById(start, claiming)
        : state.writer.write(start, claiming));
    } catch (error) {
      reservation.release();
      strays.lookLater(typeof start === 'string' ? start : start.plan.taskId);
      throw error;
    }
    if (result.kind !== 'committed') {
      reservation.release();
      return result;
    }
    void runner.runReserved(result.task, reservation);
    state.effects.wakeSoon(result.task);
    await state.sender.send(result.dispatches);
    return result;
  }

  /**
   * Tells a task what was found out for it. Resolves to the document then; null: it did not change.
   */
  async tell(task: Task, event: TaskEvent): Promise<Task | null> {
    const result = await this.move(task, (current, moment) => propose(current, event, { moment }));
    return result.kind === 'committed' ? result.task : null;
  }

  /**
   * Stores a new task, with the labels that its flow adds. One whose id is there already is left to
   * the process that stored it, and to its own time: its flow may be of another version. Where it
   * was this process and the answer was lost, its claims are looked for. Throws `LabelsFailed`.
   */
  async insert(flow: FlowOfTask, asked: TaskRequest, taskId: string): Promise<Inserted> {
    const { runner, state, strays, taker } = this.pieces;
    const { observer, store } = this.parts;
    const isComplete = flow.definition.labels === undefined;
    const request = isComplete ? asked : await this.labelled(flow, asked, taskId);
    const proposal = proposeTask(flow, request, { taskId, moment: this.moment() });
    const reservation = new Reservation(state.slots);
    const { effects, entries, queued, task } = taker.concluded(proposal, reservation);
    let result: InsertResult;
    try {
      result = await store.insert(task);
    } catch (error) {
      reservation.release();
      strays.lookLater(taskId);
      throw error;
    }
    if (result.kind !== 'inserted') reservation.release();
    if (result.kind === 'duplicate' || result.kind === 'reserved') return result;
    if (result.kind === 'present') return { kind: 'present', task: await this.found(task) };
    observer.committed(task, entries);
    state.effects.carryOut(task, effects);
    state.effects.wakeSoon(task);
    void runner.runReserved(task, reservation);
    return { kind: 'inserted', task, sent: state.sender.send(messagesOf(store, task, queued)) };
  }

  /** Stores a task whose id follows from what it is for; resolves when its messages are sent. */
  async insertOnce(flow: FlowOfTask, request: TaskRequest, taskId: string): Promise<void> {
    const result = await this.insert(flow, request, taskId);
    if (result.kind === 'inserted') await result.sent;
  }

  private labelled(flow: FlowOfTask, request: TaskRequest, taskId: string): Promise<TaskRequest> {
    const { hasSecrets = false } = request;
    const terms = { ...this.parts, hasSecrets, isShown: true };
    const answer = (question: Question) => answerFor(terms, question);
    return withFlowLabels(flow, request, { answer, taskId, now: this.moment().now });
  }

  private async found(task: Task): Promise<Task> {
    const found = await this.parts.store.get(task.plan.taskId);
    if (found === null) return task;
    this.pieces.strays.lookIn(found);
    return found;
  }
}
