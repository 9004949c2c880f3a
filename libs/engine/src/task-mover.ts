import type { Moment, Task, TaskEvent } from '#core';
import { propose, type Proposal, type Proposed } from '#core/transitions';
import type { InsertResult, Secrets } from '#ports';
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
    private readonly parts: Pick<EngineParts, 'observer' | 'store'>,
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
   * Stores a new task. One whose id is there already is left to the process that stored it, and to
   * its own time: its flow may be of another version. Where it was this process and the answer was
   * lost, its claims are looked for.
   */
  async insert(proposal: Proposal): Promise<Inserted> {
    const { runner, state, strays, taker } = this.pieces;
    const { observer, store } = this.parts;
    const reservation = new Reservation(state.slots);
    const { effects, entries, queued, task } = taker.concluded(proposal, reservation);
    const { taskId } = task.plan;
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
  async insertOnce(proposal: Proposal): Promise<void> {
    const result = await this.insert(proposal);
    if (result.kind === 'inserted') await result.sent;
  }

  private async found(task: Task): Promise<Task> {
    const found = await this.parts.store.get(task.plan.taskId);
    if (found === null) return task;
    this.pieces.strays.lookIn(found);
    return found;
  }
}
