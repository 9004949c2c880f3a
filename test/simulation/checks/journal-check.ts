import type { ActionRun, Task } from '#core';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import { type ActionNotes, JournalReader } from './journal-reader.js';

/** Compares every stored document with what a reader of its journal alone has worked out. */
export class JournalCheck {
  private readonly readers = new Map<string, JournalReader>();

  constructor(private readonly world: World) {}

  look({ task }: Stored, before: Task | null): void {
    const { steps, taskId } = task.plan;
    let reader = this.readers.get(taskId);
    if (reader === undefined) {
      reader = new JournalReader(steps);
      this.readers.set(taskId, reader);
    }
    // The oldest entries of a long journal are gone; the newest are those of this commit.
    const added = task.journalSeq - (before?.journalSeq ?? 0);
    reader.read(task.journal.slice(task.journal.length - added));
    if (reader.status !== task.status) {
      this.fail(task, `is ${task.status}, and its journal says ${reader.status}`);
    }
    for (const [step, { generation, normal, rollback }] of task.runs.entries()) {
      const notes = reader.steps[step];
      if (notes === undefined) continue;
      if (notes.generation !== generation) {
        const runs = `${generation} runs, and its journal says ${notes.generation}`;
        this.fail(task, `step ${step} had ${runs}`);
      }
      this.compare(task, { step, half: 'normal', run: normal, notes: notes.normal });
      if (rollback === null) continue;
      this.compare(task, { step, half: 'rollback', run: rollback, notes: notes.rollback });
    }
    if (task.alert !== null) {
      const step = task.alertStep ?? 0;
      this.compare(task, { step, half: 'alert', run: task.alert, notes: reader.alert });
    }
  }

  private compare(
    task: Task,
    what: { step: number; half: string; run: ActionRun; notes: ActionNotes },
  ): void {
    const { half, notes, run, step } = what;
    if (!notes.known.includes(run.state)) {
      const known = notes.known.join(' or ');
      this.fail(task, `${half} of step ${step} is ${run.state}, and its journal says ${known}`);
    }
    if (run.attempts !== notes.starts) {
      const starts = `${run.attempts} attempts, and its journal ${notes.starts} starts`;
      this.fail(task, `${half} of step ${step} has ${starts}`);
    }
  }

  private fail({ plan, revision }: Task, message: string): void {
    this.world.violate('I14', `${plan.taskId} r${revision}: ${message}`);
  }
}
