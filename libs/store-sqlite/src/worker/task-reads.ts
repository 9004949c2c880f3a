import { ALERT_FLOW, ALERT_RUN, TASK_STATUS } from '#core/task';
import type {
  Cell,
  ListFilter,
  RowPosition,
  StoredSummaries,
  StoredSummary,
  StoredTask,
  StoredTasks,
} from '../protocol.js';
import { PLACES } from '../places.js';
import { cutStateHead, STATE_FORMAT } from '../state-head.js';
import { wakeSlot } from '../task-time.js';
import { type Database, type Row, sqliteCode, type Statement } from './database.js';
import { type BoundStatement, listStatement } from './list-statement.js';
import { StatementShelf } from './statement-shelf.js';

const COLUMNS =
  't.task_id, t.id, p.revision, p.status, p.wake_at, t.steps_key, t.plan, p.state, p.journal';

const JOINED = `SELECT ${COLUMNS} FROM task t JOIN progress p ON p.id = t.id`;

/** The columns that a list shows; those before the plan and the journal are read without them. */
const SUMMARY_COLUMNS =
  't.task_id, p.id, p.revision, p.status, p.wake_at, p.flow, p.created_at, t.head, ' +
  'p.waits, p.awaits, p.request_id, p.client, p.operator';

/** A row of a list, if it is read by itself. */
const SUMMARY = `${SUMMARY_COLUMNS}, substr(p.state, 1, ?)`;

/** The slot finds them; within the last one, some may not be due yet. */
export const DUE =
  'SELECT id FROM progress WHERE wake_slot <= ? AND wake_at <= ? ORDER BY wake_slot LIMIT ? OFFSET ?';

/** Characters of a state that nearly always have what a list shows of it. */
const STATE_HEAD_CHARACTERS = 1_024;

/** The same where the task has no message: a format, a position and two times. */
const SHORT_HEAD_CHARACTERS = 96;

const WITHOUT_MESSAGE = `[[${STATE_FORMAT},null,`;

const STATE_HEAD =
  `substr(p.state, 1, CASE WHEN substr(p.state, 1, ${WITHOUT_MESSAGE.length}) = ` +
  `'${WITHOUT_MESSAGE}' THEN ${SHORT_HEAD_CHARACTERS} ELSE ${STATE_HEAD_CHARACTERS} END)`;

const ROW = `json_array(${SUMMARY_COLUMNS}, ${STATE_HEAD})`;

/** As many as are asked for: one more than there are. */
const MOST = Object.keys(TASK_STATUS).length + 1;

/** Each status is found by a search from the one before, however many tasks have it. */
export const PRESENT =
  'WITH RECURSIVE present(status) AS (SELECT min(status) FROM progress UNION ALL ' +
  'SELECT (SELECT min(status) FROM progress WHERE status > present.status) FROM present ' +
  `WHERE present.status IS NOT NULL LIMIT ${MOST}) ` +
  'SELECT status FROM present WHERE status IS NOT NULL';

/** The statements that read tasks. */
export class TaskReads {
  readonly #byId: Statement;
  readonly #byKey: Statement;
  readonly #byRow: Statement;
  readonly #due: Statement;
  readonly #beside: Statement;
  readonly #row: Statement;
  readonly #steps: Statement;
  readonly #state: Statement;
  readonly #summary: Statement;
  readonly #lists: StatementShelf;
  readonly #present: PresentStatuses;
  /** Rows that cannot be read. */
  readonly #passedOver = new Set<number>();

  constructor(db: Database) {
    this.#lists = new StatementShelf(db);
    this.#present = new PresentStatuses(db);
    this.#byId = db.prepare(`${JOINED} WHERE t.task_id = ?`);
    this.#byKey = db.prepare('SELECT task_id FROM task WHERE idempotency_key = ?');
    this.#byRow = db.prepare(`${JOINED} WHERE t.id = ?`);
    this.#due = db.prepare(DUE);
    this.#beside = db.prepare('SELECT id - ?1, text FROM beside WHERE id >= ?1 AND id < ?2');
    this.#row = db.prepare('SELECT id FROM task WHERE task_id = ?');
    this.#state = db.prepare('SELECT state FROM progress WHERE id = ?');
    this.#summary = db.prepare(
      `SELECT ${SUMMARY} FROM progress p JOIN task t ON t.id = p.id WHERE p.id = ?`,
    );
    this.#steps = db.prepare('SELECT text FROM steps WHERE key = ?');
  }

  /** Number of a task's row, or 0. */
  rowOf(taskId: string): number {
    return Number(this.#row.row([taskId])?.[0] ?? 0);
  }

  /** The task with this id, if there is one. */
  get(taskId: string): StoredTasks {
    const tasks = this.#byId.rows([taskId]).map((columns) => this.#stored(columns));
    return { tasks, places: [], last: null };
  }

  /** Id of the task that has this idempotency key. */
  idByKey(key: string): string | null {
    const id = this.#byKey.row([key])?.[0];
    return typeof id === 'string' ? id : null;
  }

  /** The task that has this idempotency key, if there is one. */
  findByKey(key: string): StoredTasks {
    const taskId = this.idByKey(key);
    return taskId === null ? NOTHING : this.get(taskId);
  }

  /** JSON text of steps, or null. */
  getSteps(key: string): string | null {
    const text = this.#steps.row([key])?.[0];
    return typeof text === 'string' ? text : null;
  }

  /** From now on the row is not found due; nobody but a new start can have mended it. */
  passOver(row: number): number {
    return this.#passedOver.add(row).size;
  }

  /** Tasks whose time has come, roughly the longest overdue first. */
  findDue(now: number, limit: number, skip: number): StoredTasks {
    const { size } = this.#passedOver;
    // Those passed over may be anywhere before the end, also among the skipped ones.
    const [most, from] = size === 0 ? [limit, skip] : [skip + limit + size, 0];
    const found = this.#due.rows([wakeSlot(now), now, most, from]).map(([row]) => Number(row));
    const rows = size === 0 ? found : this.#readable(found).slice(skip, skip + limit);
    const tasks = rows.flatMap((row) => this.#whole(row));
    return { tasks, places: [], last: null };
  }

  #readable(rows: readonly number[]): readonly number[] {
    return rows.filter((row) => !this.#passedOver.has(row));
  }

  /**
   * One page of a list, as one text where that is possible: none of its cells is broken, and it is
   * no longer than a number of characters.
   */
  listText(filter: ListFilter, characters: number): string | StoredSummaries {
    try {
      const text = readPageText(this.#lists, this.#listOf(filter));
      if (text.length <= characters) return text;
    } catch (error) {
      // Something that is no text stands where one should be.
      if (sqliteCode(error) !== 'SQLITE_ERROR') throw error;
    }
    return this.list(filter, characters);
  }

  /** One page of a list, row by row. */
  list(filter: ListFilter, characters: number): StoredSummaries {
    const { page, isLast } = this.#page(filter);
    const summaries: StoredSummary[] = [];
    let left = characters;
    let shown = 0;
    while (shown < page.length && left > 0) {
      const [, row] = page[shown]!;
      const summary = this.#summaryOf(row);
      shown += 1;
      if (summary === null) continue;
      summaries.push(summary);
      left -= charactersOf(summary);
    }
    const isEnd = isLast && shown === page.length;
    return { summaries, last: isEnd ? null : (page[shown - 1] ?? null) };
  }

  /** The next stretch of a walk. */
  walk(filter: ListFilter, characters: number): StoredTasks {
    const { page, isLast } = this.#page(filter);
    const tasks: StoredTask[] = [];
    const places: RowPosition[] = [];
    let left = characters;
    let shown = 0;
    while (shown < page.length && left > 0) {
      const place = page[shown]!;
      shown += 1;
      for (const task of this.#whole(place[1])) {
        tasks.push(task);
        places.push(place);
        left -= charactersOf(task);
      }
    }
    const isEnd = isLast && shown === page.length;
    return { tasks, places, last: isEnd ? null : (page[shown - 1] ?? null) };
  }

  /** The first of these rows, as many as the characters of their texts allow. */
  readRows(rows: readonly number[], characters: number): StoredTasks {
    const tasks: StoredTask[] = [];
    let left = characters;
    for (const row of rows) {
      if (left <= 0) break;
      for (const task of this.#whole(row)) {
        tasks.push(task);
        left -= charactersOf(task);
      }
    }
    return { tasks, places: [], last: null };
  }

  /** The entries of these rows in lists. */
  summariesOf(rows: readonly number[]): StoredSummaries {
    const found = rows.map((row) => this.#summaryOf(row));
    return { summaries: found.filter((summary) => summary !== null), last: null };
  }

  #page(filter: ListFilter): { page: readonly RowPosition[]; isLast: boolean } {
    const { sql, parameters } = this.#listOf(filter);
    const rows = this.#lists.prepare(sql).rows(parameters);
    // One row more than asked for was read: it says whether there is a page after this one.
    const page = rows.slice(0, filter.limit).map(([at, row]): RowPosition => {
      // A time that is none stands before all others.
      return [typeof at === 'number' ? at : Number.MAX_SAFE_INTEGER, Number(row)];
    });
    return { page, isLast: rows.length <= filter.limit };
  }

  #listOf(filter: ListFilter): BoundStatement {
    return listStatement(filter, () => this.#present.read());
  }

  #summaryOf(row: number): StoredSummary | null {
    const columns = this.#summary.row([STATE_HEAD_CHARACTERS, row]);
    if (columns === undefined) return null;
    const beginning = String(columns.at(-1));
    const head = cutStateHead(beginning) ?? this.#longHeadOf(row, beginning);
    return [...columns.slice(0, -1), head] as unknown as StoredSummary;
  }

  /** A message may be long; a text that is no state has no head. */
  #longHeadOf(row: number, beginning: string): string | null {
    if (beginning.length < STATE_HEAD_CHARACTERS) return null;
    return cutStateHead(String(this.#state.row([row])?.[0])) ?? null;
  }

  /**
   * How many tasks have each of these statuses, those without a task left out; and, as numbers
   * below zero, how many of these are alert tasks.
   */
  countByStatus(statuses: readonly number[]): readonly Row[] {
    const isMeant = `status IN (${statuses.map(() => '?').join(', ')})`;
    const sql =
      `SELECT status, count(*) FROM progress WHERE ${isMeant} GROUP BY status UNION ALL ` +
      'SELECT status, -count(*) FROM progress INDEXED BY progress_by_flow ' +
      `WHERE flow = '${ALERT_FLOW}' AND ${isMeant} AND run = '${ALERT_RUN}' GROUP BY status`;
    return this.#lists.prepare(sql).rows([...statuses, ...statuses]);
  }

  /** How many tasks of a flow have one of these statuses and no parent, at most this number. */
  countStarted(flow: string, statuses: readonly number[], limit: number): number {
    const marks = statuses.map(() => '?').join(', ');
    const found =
      'SELECT 1 FROM progress INDEXED BY progress_by_flow ' +
      `WHERE flow = ? AND status IN (${marks}) AND parent IS NULL LIMIT ?`;
    const count = this.#lists.prepare(`SELECT count(*) FROM (${found})`);
    return Number(count.row([flow, ...statuses, limit])?.[0]);
  }

  #whole(row: number): readonly StoredTask[] {
    return this.#byRow.rows([row]).map((columns) => this.#stored(columns));
  }

  /** Columns of another kind than they should be are given as they are: the reader judges them. */
  #stored(columns: Row): StoredTask {
    const from = Number(columns[1]) * PLACES;
    const beside = this.#beside.rows([from, from + PLACES]);
    return [...columns, beside] as unknown as StoredTask;
  }
}

const NOTHING: StoredTasks = { tasks: [], places: [], last: null };

function charactersOf(columns: StoredSummary | StoredTask): number {
  let sum = 0;
  for (const column of columns) {
    if (typeof column === 'string') sum += column.length;
    else if (Array.isArray(column)) for (const [, text] of column) sum += String(text).length;
  }
  return sum;
}

/**
 * A page of a list as the JSON text of its rows and of one row more, if there is one; `list` reads
 * where they stand. One text
 * costs less than the cells that it is made of: most of what reading a row costs is handing out
 * its columns, and to hand them from thread to thread.
 */
function readPageText(statements: StatementShelf, { parameters, sql }: BoundStatement): string {
  const statement = statements.prepare(
    // The loops are nested as they are written, so that the rows stay in the order of the page.
    `SELECT json_group_array(${ROW}) FROM (${sql}) x ` +
      'CROSS JOIN progress p ON p.id = x.id LEFT JOIN task t ON t.id = x.id',
  );
  return String(statement.row(parameters)?.[0]);
}

/**
 * The statuses that tasks of the file have. A list in the order of time looks at the tasks of each
 * status, and looking where there are none costs nearly as much.
 */
export class PresentStatuses {
  readonly #present: Statement;

  constructor(db: Database) {
    this.#present = db.prepare(PRESENT);
  }

  /** Those that are there, also what is none; null: too many of what is none to tell. */
  read(): readonly Cell[] | null {
    const rows = this.#present.rows([]);
    return rows.length < MOST ? rows.map(([status = null]) => status) : null;
  }
}
