import type { ListFilter, StoredTasks, StoredTask } from '../protocol.js';
import { wakeSlot } from '../wake-slot.js';
import type { Database, Row, Statement } from './database.js';
import { listStatement } from './list-statement.js';

const COLUMNS =
  't.task_id, t.id, p.revision, p.status, p.wake_at, t.steps_key, t.plan, p.state, p.journal';
const JOINED = `SELECT ${COLUMNS} FROM task t JOIN progress p ON p.id = t.id`;

/** The slot finds them; within the last one, some may not be due yet. */
export const DUE =
  'SELECT id FROM progress WHERE wake_slot <= ? AND wake_at <= ? ORDER BY wake_slot LIMIT ? OFFSET ?';

/** Prepared list statements; their kinds are few unless somebody asks for many labels at once. */
const LISTS_MAX = 100;

/** The statements that read tasks. */
export class TaskReads {
  readonly #db: Database;
  readonly #byId: Statement;
  readonly #byKey: Statement;
  readonly #byRow: Statement;
  readonly #due: Statement;
  readonly #outputs: Statement;
  readonly #row: Statement;
  readonly #steps: Statement;
  readonly #lists = new Map<string, Statement>();

  constructor(db: Database) {
    this.#db = db;
    this.#byId = db.prepare(`${JOINED} WHERE t.task_id = ?`);
    this.#byKey = db.prepare('SELECT task_id FROM task WHERE idempotency_key = ?');
    this.#byRow = db.prepare(`${JOINED} WHERE t.id = ?`);
    this.#due = db.prepare(DUE);
    this.#outputs = db.prepare('SELECT step, text FROM output WHERE task = ?');
    this.#row = db.prepare('SELECT id FROM task WHERE task_id = ?');
    this.#steps = db.prepare('SELECT text FROM steps WHERE key = ?');
  }

  /** Number of a task's row, or 0. */
  rowOf(taskId: string): number {
    return Number(this.#row.row([taskId])?.[0] ?? 0);
  }

  /** The task with this id, if there is one. */
  get(taskId: string): StoredTasks {
    const tasks = this.#byId.rows([taskId]).map((columns) => this.#stored(columns));
    return { tasks, last: null };
  }

  /** Id of the task that has this idempotency key. */
  idByKey(key: string): string | null {
    const id = this.#byKey.row([key])?.[0];
    return typeof id === 'string' ? id : null;
  }

  /** The task that has this idempotency key, if there is one. */
  findByKey(key: string): StoredTasks {
    const taskId = this.idByKey(key);
    return taskId === null ? { tasks: [], last: null } : this.get(taskId);
  }

  /** JSON text of steps. */
  getSteps(key: string): string {
    const text = this.#steps.row([key])?.[0];
    if (typeof text !== 'string') throw new Error(`The steps ${key} are not stored.`);
    return text;
  }

  /** Tasks whose time has come, roughly the longest overdue first. */
  findDue(now: number, limit: number, skip: number): StoredTasks {
    const rows = this.#due.rows([wakeSlot(now), now, limit, skip]).map(([row]) => Number(row));
    return { tasks: this.#whole(rows), last: null };
  }

  /** One page of a list. */
  list(filter: ListFilter): StoredTasks {
    const { sql, parameters } = listStatement(filter);
    const rows = this.#prepareList(sql).rows(parameters);
    // One row more than asked for was read: it says whether there is a page after this one.
    const page = rows.slice(0, filter.limit).map(([at, row]) => [Number(at), Number(row)] as const);
    const tasks = this.#whole(page.map(([, row]) => row));
    return { tasks, last: rows.length > filter.limit ? (page.at(-1) ?? null) : null };
  }

  /** How many tasks have each of these statuses; those without a task are left out. */
  countByStatus(statuses: readonly number[]): readonly Row[] {
    const marks = statuses.map(() => '?').join(', ');
    const sql = `SELECT status, count(*) FROM progress WHERE status IN (${marks}) GROUP BY status`;
    return this.#prepareList(sql).rows(statuses);
  }

  #prepareList(sql: string): Statement {
    const known = this.#lists.get(sql);
    if (known !== undefined) return known;
    if (this.#lists.size >= LISTS_MAX) this.#lists.clear();
    const statement = this.#db.prepare(sql);
    this.#lists.set(sql, statement);
    return statement;
  }

  #whole(rows: readonly number[]): readonly StoredTask[] {
    return rows.flatMap((row) => this.#byRow.rows([row]).map((columns) => this.#stored(columns)));
  }

  #stored(columns: Row): StoredTask {
    const [taskId, row, revision, status, wakeAt, stepsKey, plan, state, journal] = columns;
    const outputs = this.#outputs.rows([row]);
    return [
      ...[String(taskId), Number(row), Number(revision), Number(status)],
      wakeAt === null ? null : Number(wakeAt),
      ...[String(stepsKey), String(plan), String(state), String(journal)],
      outputs,
    ] as unknown as StoredTask;
  }
}
