import type { CommitRequest, InsertAnswer, InsertRequest, LargeOutputs } from '../protocol.js';
import type { Database, Statement } from './database.js';
import type { TaskReads } from './task-reads.js';

/** The statements that store tasks. They run within a transaction of the caller's. */
export class TaskWrites {
  readonly #reads: TaskReads;
  readonly #insertSteps: Statement;
  readonly #insertTask: Statement;
  readonly #insertProgress: Statement;
  readonly #insertLabel: Statement;
  readonly #putOutput: Statement;
  /** Updates by what they set: bit 0, the status too; bit 1, the journal as a whole. */
  readonly #updates: readonly Statement[];

  constructor(db: Database, reads: TaskReads) {
    this.#reads = reads;
    this.#insertSteps = db.prepare('INSERT INTO steps VALUES (?, ?) ON CONFLICT DO NOTHING');
    this.#insertTask = db.prepare(
      'INSERT INTO task (task_id, idempotency_key, steps_key, plan) VALUES (?, ?, ?, ?) ' +
        'ON CONFLICT DO NOTHING',
    );
    this.#insertProgress = db.prepare('INSERT INTO progress VALUES (?, ?, ?, ?, ?, ?, ?, ?)');
    this.#insertLabel = db.prepare('INSERT INTO label VALUES (?, ?, ?, ?)');
    this.#putOutput = db.prepare('INSERT OR REPLACE INTO output VALUES (?, ?, ?)');
    this.#updates = [0, 1, 2, 3].map((what) => db.prepare(updateSql(what)));
  }

  /** Stores a new task, unless it is there or its key is taken. */
  insert(request: InsertRequest): InsertAnswer {
    const [, taskId, key, stepsKey, stepsText, plan, flow, createdAt, labels, ...state] = request;
    const [revision, status, wakeAt, stateText, journal, outputs] = state;
    const row = this.#insertTask.insert([taskId, key, stepsKey, plan]);
    if (row === 0) return this.#present(taskId, key);
    if (stepsText !== null) this.#insertSteps.run([stepsKey, stepsText]);
    this.#insertProgress.run([row, revision, status, wakeAt, flow, createdAt, stateText, journal]);
    for (const [key, value] of labels ?? []) {
      this.#insertLabel.run([key, value, createdAt, row]);
    }
    this.#putOutputs(row, outputs);
    return row;
  }

  /** Stores a task's next state if its revision is still the expected one; tells its row, or 0. */
  commit(request: CommitRequest): number {
    const [, task, expected, revision, status, wakeAt, state, journal, isWhole, outputs] = request;
    const row = typeof task === 'number' ? task : this.#reads.rowOf(task);
    if (row === 0) return 0;
    const what = (status === null ? 0 : 1) + 2 * isWhole;
    const parameters = [revision, wakeAt, state, journal, row, expected];
    if (status !== null) parameters.push(status);
    if (this.#updates[what]!.run(parameters) === 0) return 0;
    this.#putOutputs(row, outputs);
    return row;
  }

  #present(taskId: string, key: string | null): InsertAnswer {
    if (this.#reads.rowOf(taskId) !== 0) return 0;
    const holder = key === null ? null : this.#reads.idByKey(key);
    if (holder === null) throw new Error(`Task ${taskId} is neither new nor there.`);
    return holder;
  }

  #putOutputs(row: number, outputs: LargeOutputs | null): void {
    if (outputs === null) return;
    for (const [step, text] of outputs) this.#putOutput.run([row, step, text]);
  }
}

/**
 * An index is touched only by a statement that sets its column, so the status is set only where it
 * changes.
 */
function updateSql(what: number): string {
  const status = what % 2 === 1 ? ', status = ?7' : '';
  const journal = what >= 2 ? '?4' : 'journal || ?4';
  return (
    `UPDATE progress SET revision = ?1, wake_at = ?2, state = ?3, journal = ${journal}${status} ` +
    'WHERE id = ?5 AND revision = ?6'
  );
}
