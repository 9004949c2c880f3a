import type { JsonObject } from '#core';
import type { BarrierContext, Clock } from '#ports';
import { SqliteBarrier, type SqliteFile, type SqliteTx } from '#barrier';
import { replaceFile } from './replace-file.js';

/** Migration: what Prometheus is to watch. */
export const TARGET_TABLE = `
  CREATE TABLE targets (
    instance TEXT PRIMARY KEY,
    target TEXT NOT NULL,
    labels TEXT NOT NULL,
    task_id TEXT NOT NULL,
    run TEXT NOT NULL
  ) WITHOUT ROWID;
`;

/** One thing to watch. */
export interface Target {
  readonly instance: string;
  /** Host and port. */
  readonly target: string;
  readonly labels: Readonly<Record<string, string>>;
}

/** Another task's step watches an instance of that name. */
export class TargetTaken extends Error {
  override readonly name = 'TargetTaken';

  constructor(instance: string, taskId: string) {
    super(`instance ${instance} is watched already, for task ${taskId}`);
  }
}

interface TargetRow {
  readonly instance: string;
  readonly target: string;
  readonly labels: string;
  readonly task_id: string;
  readonly run: string;
}

const FIND = 'SELECT * FROM targets WHERE instance = ?';
const PUT = 'INSERT OR REPLACE INTO targets VALUES (?, ?, ?, ?, ?)';
const KEEP = 'INSERT OR IGNORE INTO targets VALUES (?, ?, ?, ?, ?)';
const REMOVE = 'DELETE FROM targets WHERE instance = ?';
const REMOVE_OWN = 'DELETE FROM targets WHERE instance = ? AND task_id = ? AND run = ?';

/**
 * What Prometheus watches. The table is the truth and changes behind the barrier; the file is
 * written from it after every change, also after one that was a repetition, so that a crash in
 * between is repaired by the next attempt.
 */
export class TargetList {
  readonly #barrier: SqliteBarrier;
  #projection: Promise<void> | null = null;

  constructor(
    private readonly file: SqliteFile,
    private readonly targetFile: string,
    clock: Clock,
  ) {
    this.#barrier = new SqliteBarrier(file, clock);
  }

  /**
   * Starts to watch. A target belongs to the step of the task that added it: throws `TargetTaken`
   * where another one watches an instance of that name.
   */
  async add(context: BarrierContext, targets: readonly Target[]): Promise<void> {
    await this.#barrier.forward(context, (tx) => {
      const taken = targets.flatMap(({ instance }) => rowsOf(tx, instance)).at(0);
      if (taken !== undefined) throw new TargetTaken(taken.instance, taken.task_id);
      for (const target of targets) put(tx, PUT, rowFor(target, context));
      return { added: targets.map(({ instance }) => instance) };
    });
    await this.project();
  }

  /** Undoes `add` of the same step; nothing of another's. */
  async undoAdd(context: BarrierContext): Promise<void> {
    await this.#barrier.rollback(context, (tx, output) => {
      const { taskId, run } = context;
      for (const instance of (output?.['added'] ?? []) as string[]) {
        tx.run(REMOVE_OWN, instance, taskId, run);
      }
    });
    await this.project();
  }

  /** Stops watching, whoever added it; returns what was watched. */
  async remove(context: BarrierContext, instances: readonly string[]): Promise<readonly string[]> {
    const output = await this.#barrier.forward(context, (tx) => {
      const removed = instances.flatMap((instance) => rowsOf(tx, instance));
      for (const { instance } of removed) tx.run(REMOVE, instance);
      return { removed: removed.map(asJson) };
    });
    await this.project();
    return rowsIn(output, 'removed').map(({ instance }) => instance);
  }

  /** Undoes `remove` of the same step. */
  async undoRemove(context: BarrierContext): Promise<void> {
    await this.#barrier.rollback(context, (tx, output) => {
      for (const row of rowsIn(output, 'removed')) put(tx, KEEP, row);
    });
    await this.project();
  }

  /**
   * Writes the file from the table. Inside a transaction, so that of several processes none writes
   * an older state over a newer one; calls of one moment share one write.
   */
  project(): Promise<void> {
    this.#projection ??= this.file.write((tx) => {
      this.#projection = null;
      const rows = tx.all<TargetRow>('SELECT * FROM targets ORDER BY instance');
      const groups = rows.map(({ labels, target }) => {
        return { targets: [target], labels: JSON.parse(labels) as object };
      });
      replaceFile(this.targetFile, `${JSON.stringify(groups, null, 2)}\n`);
    });
    return this.#projection;
  }
}

function rowsOf(tx: SqliteTx, instance: string): TargetRow[] {
  return tx.all<TargetRow>(FIND, instance);
}

function rowFor({ instance, labels, target }: Target, context: BarrierContext): TargetRow {
  const { taskId, run } = context;
  return { instance, target, labels: JSON.stringify(labels), task_id: taskId, run };
}

function put(tx: SqliteTx, sql: string, row: TargetRow): void {
  tx.run(sql, row.instance, row.target, row.labels, row.task_id, row.run);
}

function asJson({ instance, labels, run, target, task_id }: TargetRow): JsonObject {
  return { instance, labels, run, target, task_id };
}

function rowsIn(output: JsonObject | null, member: string): readonly TargetRow[] {
  return (output?.[member] ?? []) as unknown as readonly TargetRow[];
}
