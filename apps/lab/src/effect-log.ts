import type { JsonObject } from '#core';
import type { BarrierContext, Clock, TaskMarks } from '#ports';
import { SqliteBarrier, type SqliteFile, type SqliteTx } from '#barrier';

/** Migration: effects that really happened, and looks at unfinished work. */
export const LAB_TABLES = `
  CREATE TABLE effects (
    task_id TEXT NOT NULL,
    run TEXT NOT NULL,
    step TEXT NOT NULL,
    name TEXT NOT NULL,
    applied INTEGER NOT NULL,
    undone INTEGER NOT NULL,
    PRIMARY KEY (task_id, run, name)
  ) WITHOUT ROWID;
  CREATE TABLE looks (
    id TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) WITHOUT ROWID;
`;

/** The attempt of a step that has an effect. */
type EffectContext = BarrierContext & { readonly step: string };

/** One effect with how often it really happened. */
export interface CountedEffect {
  readonly taskId: string;
  readonly step: string;
  /** Id of the step's run that had it: a step that was reset may have it again. */
  readonly id: string;
  readonly name: string;
  readonly applied: number;
  readonly undone: number;
}

const APPLIED = `INSERT INTO effects VALUES (?, ?, ?, ?, 1, 0)
  ON CONFLICT DO UPDATE SET applied = applied + 1`;

const UNDONE = `INSERT INTO effects VALUES (?, ?, ?, ?, 0, 1)
  ON CONFLICT DO UPDATE SET undone = undone + 1`;

const COLUMNS = 'task_id AS taskId, step, run AS id, name, applied, undone';
const LIST = `SELECT ${COLUMNS} FROM effects ORDER BY task_id DESC, step, run, name LIMIT ?`;

const LIST_OF_TASK = `SELECT ${COLUMNS} FROM effects WHERE task_id = ?
  ORDER BY step, run, name LIMIT ?`;

const LOOK = `INSERT INTO looks VALUES (?, 1)
  ON CONFLICT DO UPDATE SET count = count + 1 RETURNING count`;

/** Tables with records of tasks, and the column or expression that has the id of the task. */
const KEPT = [
  ['effects', 'task_id'],
  ['completions', 'task_id'],
  // The key of a look begins with the task's id.
  ['looks', "substr(id, 1, instr(id || ':', ':') - 1)"],
] as const;

const PAGE = 500;

/**
 * Real, durable effects: the barrier decides whether they happen, the counts tell how often they
 * did.
 */
export class EffectLog {
  readonly #barrier: SqliteBarrier;

  constructor(
    private readonly file: SqliteFile,
    clock: Clock,
  ) {
    this.#barrier = new SqliteBarrier(file, clock);
  }

  /** The marks of these effects, with which the effects are forgotten. */
  get marks(): TaskMarks {
    return new PracticeMarks(this.file, this.#barrier);
  }

  async apply(context: EffectContext, name: string): Promise<void> {
    await this.#barrier.forward(context, (tx) => {
      count(tx, APPLIED, { ...context, name });
      return { name };
    });
  }

  /** Undoes what the step's normal action did. */
  undo(context: EffectContext): Promise<void> {
    return this.#barrier.rollback(context, (tx, output) => {
      count(tx, UNDONE, { ...context, name: nameOf(output) });
    });
  }

  /** Undoing as a step of its own. */
  async countUndone(context: EffectContext, name: string): Promise<void> {
    await this.#barrier.forward(context, (tx) => {
      count(tx, UNDONE, { ...context, name });
      return null;
    });
  }

  /** Counts a look at unfinished work; returns the how-manieth it is. */
  look(id: string): Promise<number> {
    return this.file.write((tx) => tx.get<{ count: number }>(LOOK, id)?.count ?? 0);
  }

  list(limit: number, taskId?: string): readonly CountedEffect[] {
    return this.file.read((tx) =>
      taskId === undefined
        ? tx.all<CountedEffect>(LIST, limit)
        : tx.all<CountedEffect>(LIST_OF_TASK, taskId, limit),
    );
  }
}

function count(tx: SqliteTx, sql: string, effect: EffectContext & { name: string }): void {
  tx.run(sql, effect.taskId, effect.run, effect.step, effect.name);
}

/** The effect's name, as its forward action stored it. */
function nameOf(output: JsonObject | null): string {
  const name = output?.['name'];
  return typeof name === 'string' ? name : '';
}

/**
 * Forgets, with the marks of removed tasks, the effects, the looks and the completions of these.
 * Of those without marks the age is that of the task, which its id begins with.
 */
class PracticeMarks implements TaskMarks {
  constructor(
    private readonly file: Pick<SqliteFile, 'read' | 'write'>,
    private readonly marks: TaskMarks,
  ) {}

  async *oldTasks(before: number): AsyncGenerator<readonly string[]> {
    yield* this.marks.oldTasks(before);
    for (const [table, column] of KEPT) yield* this.oldIn(table, column, before);
  }

  async forget(taskIds: readonly string[], before: number): Promise<number> {
    const forgotten = await this.marks.forget(taskIds, before);
    await this.file.write((tx) => {
      // A mark that was touched since tells of an attempt that may still be on its way.
      const gone = taskIds.filter((taskId) => {
        return tx.get('SELECT 1 FROM barrier WHERE task_id = ?', taskId) === undefined;
      });
      for (const taskId of gone) {
        tx.run('DELETE FROM effects WHERE task_id = ?', taskId);
        tx.run('DELETE FROM completions WHERE task_id = ?', taskId);
        tx.run('DELETE FROM looks WHERE id > ? AND id < ?', `${taskId}:`, `${taskId};`);
      }
    });
    return forgotten;
  }

  private *oldIn(table: string, column: string, before: number): Generator<readonly string[]> {
    const sql = `SELECT DISTINCT ${column} AS taskId FROM ${table}
      WHERE ${column} > ? AND ${column} < ? ORDER BY 1 LIMIT ${PAGE}`;
    let behind = '';
    for (;;) {
      const rows = this.file.read((tx) => {
        return tx.all<{ readonly taskId: string }>(sql, behind, firstIdAt(before));
      });
      if (rows.length > 0) yield rows.map(({ taskId }) => taskId);
      if (rows.length < PAGE) return;
      behind = rows.at(-1)!.taskId;
    }
  }
}

/** Ids of tasks are UUIDs of version 7: they begin with the milliseconds since 1970. */
function firstIdAt(at: number): string {
  const digits = Math.max(0, at).toString(16).padStart(12, '0');
  return `${digits.slice(0, 8)}-${digits.slice(8)}`;
}
