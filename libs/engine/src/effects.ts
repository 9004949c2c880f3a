import { type ActionRef, assertNever, type EndedAlert, type LockTicket, type Task } from '#core';
import type { Effect } from '#core/transitions';

/** The pieces of an engine that do what follows from a stored document. None of it throws. */
interface EffectPieces {
  readonly questions: { ask(task: Task, ref: ActionRef): void };
  readonly children: { look(taskId: string): void };
  readonly locks: {
    look(taskId: string): void;
    free(taskId: string, tickets: readonly LockTicket[]): void;
  };
  readonly owed: {
    startFailureFlow(task: Task): void;
    startAlert(task: Task): void;
    endAlert(task: Task, ended: EndedAlert): void;
    tendAlert(task: Task): void;
  };
  readonly governance: { wakeSoon(task: Task): void };
  readonly strays: { lookLater(taskId: string): void };
}

/**
 * Does what follows from stored documents. Its pieces move tasks themselves, so they are made after
 * it; until `serve` is called nothing is done, and governance finds what was left.
 */
export class Effects {
  private pieces: EffectPieces | null = null;

  /** From now on these pieces do it. */
  serve(pieces: EffectPieces): void {
    this.pieces = pieces;
  }

  /** A document was stored. Never throws. */
  carryOut(task: Task, effects: readonly Effect[]): void {
    for (const effect of effects) this.carryOutOne(task, effect);
  }

  private carryOutOne(task: Task, effect: Effect): void {
    const { pieces } = this;
    if (pieces === null) return;
    const { taskId } = task.plan;
    switch (effect.kind) {
      case 'answer':
        return pieces.questions.ask(task, effect.ref);
      case 'tend_children':
        return pieces.children.look(taskId);
      case 'free_locks':
        return pieces.locks.free(taskId, effect.tickets);
      case 'take_locks':
        return pieces.locks.look(taskId);
      case 'start_failure_flow':
        return pieces.owed.startFailureFlow(task);
      case 'start_alert':
        return pieces.owed.startAlert(task);
      case 'end_alert':
        return pieces.owed.endAlert(task, effect.ended);
      case 'tend_alert':
        return pieces.owed.tendAlert(task);
      default:
        return assertNever(effect);
    }
  }

  /** A document was stored that may want to be looked at soon. */
  wakeSoon(task: Task): void {
    this.pieces?.governance.wakeSoon(task);
  }

  /** A task took no notice of an outcome: its document may hold lost claims. */
  lookForStrays(taskId: string): void {
    this.pieces?.strays.lookLater(taskId);
  }
}
