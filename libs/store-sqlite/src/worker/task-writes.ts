import { type Beside, PLACES } from '../places.js';
import { COMMIT_SETS } from '../commit-sets.js';
import type { Cell, CommitRequest, InsertAnswer, InsertRequest } from '../protocol.js';
import { wakeSlot } from '../task-time.js';
import type { Database, Statement } from './database.js';
import type { TaskReads } from './task-reads.js';

/** The key is a hash of the text: where another text stands under it, that one is broken. */
const UPSERT_STEPS =
  'INSERT INTO steps VALUES (?, ?) ON CONFLICT DO UPDATE SET text = excluded.text ' +
  'WHERE text <> excluded.text';

/** The statements that store tasks. They run within a transaction of the caller's. */
export class TaskWrites {
  readonly #reads: TaskReads;
  readonly #insertSteps: Statement;
  readonly #insertTask: Statement;
  readonly #insertProgress: Statement;
  readonly #insertLabel: Statement;
  readonly #putText: Statement;
  /**
   * A number is not given twice in the life of a process, though its task may be removed: what is
   * known of rows in memory is never of another task.
   */
  #nextRow: number;
  /** Number of the latest notable change. */
  #change: number;
  /** Updates by the sum of what they set besides. */
  readonly #updates: readonly Statement[];

  constructor(db: Database, reads: TaskReads) {
    this.#reads = reads;
    this.#nextRow = Number(db.value('SELECT max(id) FROM task') ?? 0) + 1;
    this.#change = Number(db.value(NEWEST_CHANGE));
    this.#insertSteps = db.prepare(UPSERT_STEPS);
    this.#insertTask = db.prepare(
      'INSERT INTO task (id, task_id, idempotency_key, steps_key, head, plan) ' +
        'VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING',
    );
    this.#insertProgress = db.prepare(
      'INSERT INTO progress VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    );
    this.#insertLabel = db.prepare('INSERT INTO label VALUES (?, ?, ?, ?)');
    this.#putText = db.prepare('INSERT OR REPLACE INTO beside VALUES (?, ?)');
    this.#updates = Array.from({ length: 128 }, (_, sets) => db.prepare(updateSql(sets)));
  }

  /** Number of the latest notable change, also of one that was undone. */
  get newestChange(): number {
    return this.#change;
  }

  /** Stores a new task, unless it is there or its key is taken. */
  insert(request: InsertRequest): InsertAnswer {
    const [, taskId, key, stepsKey, stepsText, planHead, plan, ...rest] = request;
    const [flow, createdAt, labels, ...state] = rest;
    const [revision, status, wakeAt, stateText, journal, beside, parent, ...looked] = state;
    const row = this.#insertTask.insert([this.#nextRow, taskId, key, stepsKey, planHead, plan]);
    if (row === 0) return this.#present(taskId, key);
    this.#nextRow = row + 1;
    if (stepsText !== null) this.#insertSteps.run([stepsKey, stepsText]);
    const times = [wakeAt, wakeSlot(wakeAt)];
    this.#insertProgress.run([
      row,
      revision,
      status,
      ...times,
      flow,
      createdAt,
      stateText,
      journal,
      ...(parent ?? NO_PARENT),
      (this.#change += 1),
      ...looked,
    ]);
    for (const [key, value] of labels ?? []) {
      this.#insertLabel.run([key, value, createdAt, row]);
    }
    this.#putBeside(row, beside);
    return row;
  }

  /** Stores a task's next state if its revision is still the expected one; tells its row, or 0. */
  commit(request: CommitRequest): number {
    const [, task, expected, revision, status, wakeAt, state, ...rest] = request;
    const [journal, sets, beside, waits, awaits, terms] = rest;
    const row = typeof task === 'number' ? task : this.#reads.rowOf(task);
    if (row === 0) return 0;
    const parameters: Cell[] = [row, expected, revision, wakeAt, state, journal];
    if (sets & COMMIT_SETS.status) parameters.push(status);
    if (sets & COMMIT_SETS.wakeSlot) parameters.push(wakeSlot(wakeAt));
    if (sets & COMMIT_SETS.change) parameters.push((this.#change += 1));
    if (sets & COMMIT_SETS.waits) parameters.push(waits);
    if (sets & COMMIT_SETS.awaits) parameters.push(awaits);
    if (sets & COMMIT_SETS.terms) parameters.push(terms);
    if (this.#updates[sets]!.run(parameters) === 0) return 0;
    this.#putBeside(row, beside);
    return row;
  }

  #present(taskId: string, key: string | null): InsertAnswer {
    if (this.#reads.rowOf(taskId) !== 0) return 0;
    const holder = key === null ? null : this.#reads.idByKey(key);
    if (holder === null) throw new Error(`Task ${taskId} is neither new nor there.`);
    return holder;
  }

  #putBeside(row: number, beside: Beside | null): void {
    if (beside === null) return;
    for (const [place, text] of beside) this.#putText.run([row * PLACES + place, text]);
  }
}

const NO_PARENT = [null, null, null] as const;

/** The largest number that was given, also where its task is gone. */
const NEWEST_CHANGE =
  'SELECT max(change, coalesce((SELECT max(change) FROM progress WHERE change IS NOT NULL), 0)) ' +
  'FROM change_floor';

/** The statement of a commit that sets these columns besides. */
function updateSql(sets: number): string {
  const journal = sets & COMMIT_SETS.wholeJournal ? '?6' : 'journal || ?6';
  const status = sets & COMMIT_SETS.status ? ', status = ?' : '';
  const slot = sets & COMMIT_SETS.wakeSlot ? ', wake_slot = ?' : '';
  const change = sets & COMMIT_SETS.change ? ', change = ?' : '';
  const waits = sets & COMMIT_SETS.waits ? ', waits = ?' : '';
  const awaits = sets & COMMIT_SETS.awaits ? ', awaits = ?' : '';
  const terms = sets & COMMIT_SETS.terms ? ', terms = ?' : '';
  return (
    `UPDATE progress SET revision = ?3, wake_at = ?4, state = ?5, journal = ${journal}` +
    `${status}${slot}${change}${waits}${awaits}${terms} WHERE id = ?1 AND revision = ?2`
  );
}
