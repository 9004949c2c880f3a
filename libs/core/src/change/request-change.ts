import type { JsonObject } from '../json/json.js';
import type { EarlySignal } from '../task/signals.js';
import type { DoneAction, Edit, Task } from '../task/task.js';

/** The parts of a task that requests from outside leave in it, on its way to the next document. */
export class RequestChange {
  doneActions: readonly DoneAction[];
  edits: readonly Edit[];
  signals: readonly EarlySignal[];

  constructor({ doneActions, edits, signals }: Task) {
    this.doneActions = doneActions;
    this.edits = edits;
    this.signals = signals;
  }

  /** Takes the oldest early signal of this name; null: none has come. */
  takeSignal(name: string): JsonObject | null {
    const at = this.signals.findIndex((signal) => signal.name === name);
    const found = this.signals[at];
    if (found === undefined) return null;
    this.signals = this.signals.toSpliced(at, 1);
    return found.payload;
  }
}
