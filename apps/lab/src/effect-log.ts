import type { JsonObject } from '#core';
import type { BarrierContext, Clock, TaskMarks } from '#ports';
import { SqliteBarrier, type SqliteFile, type SqliteTx } from '#barrier';
import { PracticeMarks } from './practice-marks.js';

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
