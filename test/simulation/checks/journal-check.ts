import type { ActionRun, Task } from '#core';
import { scopeAt, TASK } from '#core/scopes';
import type { Stored } from '../store-server.js';
import type { World } from '../world.js';
import type { ActionNotes, ScopeNotes } from './journal-notes.js';
import { JournalReader } from './journal-reader.js';
import { newEntries } from './new-entries.js';

/** Compares every stored document with what a reader of its journal alone has worked out. */
export class JournalCheck {
  private readonly readers = new Map<string, JournalReader>();

  constructor(private readonly world: World) {}

  look({ task }: Stored, before: Task | null): void {
    // A run that waits for a lock waits for other tasks, which this task's journal does not
    // mention.
    if (this.world.scenario.locks !== null) return;
    const { steps, taskId } = task.plan;
    let reader = this.readers.get(taskId);
    if (reader === undefined) {
      reader = new JournalReader(steps);
      this.readers.set(taskId, reader);
    }
    reader.read(newEntries(task, before));
    if (reader.status !== task.status) {
      this.fail(task, `is ${task.status}, and its journal says ${reader.status}`);
    }
    this.compareScope(task, reader.task, TASK);
    const found: ScopeNotes[] = [];
    for (const [number, { holder, round }] of task.scopes.entries()) {
      const around = scopeAt(task, holder);
      const outer = around === TASK ? reader.task : found[around];
      const inner = outer?.notes[holder - firstOf(task, around)]?.inner ?? null;
      if (inner !== null) found[number] = inner;
      if ((inner?.round ?? 0) !== round) {
        this.fail(task, `scope ${number} is try ${round}, and its journal says ${inner?.round}`);
      } else if (inner !== null) {
        this.compareScope(task, inner, number);
      }
    }
  }

  private compareScope(task: Task, scope: ScopeNotes, number: number): void {
    const first = firstOf(task, number);
    const way = number === TASK ? task.way : task.scopes[number]?.way;
    if ((way === 'back') !== scope.isBack) {
      this.fail(task, `scope ${number} goes ${way}, and its journal does not say so`);
    }
    for (const [index, notes] of scope.notes.entries()) {
      const step = first + index;
      const { generation, normal, rollback } = task.runs[step]!;
      if (notes.generation !== generation) {
        const runs = `${generation} runs, and its journal says ${notes.generation}`;
        this.fail(task, `step ${step} had ${runs}`);
      }
      this.compare(task, { step, half: 'normal', run: normal, notes: notes.normal });
      if (rollback === null) continue;
      this.compare(task, { step, half: 'rollback', run: rollback, notes: notes.rollback });
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

/** The place of the first step of a scope. */
function firstOf({ scopes }: Task, scope: number): number {
  return scopes[scope]?.first ?? 0;
}
