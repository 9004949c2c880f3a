import type { JsonObject } from '../json/json.js';
import type { EarlySignal } from '../task/signals.js';
import type { DoneAction, Edit, Task } from '../task/task.js';
import { type KnownReport, REPORTS_MAX } from '../task/worker-report.js';

/** The parts of a task that requests from outside leave in it, on its way to the next document. */
export class RequestChange {
  doneActions: readonly DoneAction[];
  edits: readonly Edit[];
  reports: readonly KnownReport[];
  signals: readonly EarlySignal[];

  constructor({ doneActions, edits, reports, signals }: Task) {
    this.doneActions = doneActions;
    this.edits = edits;
    this.reports = reports;
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

  /** Remembers what a worker told, and forgets the oldest report where there are many. */
  keep(report: KnownReport): void {
    const all = [...this.reports, report];
    this.reports = all.length > REPORTS_MAX ? all.slice(1) : all;
  }
}
