import type { JsonObject } from '#core';
import { readStoredJson } from '#core/json';
import type { BarrierContext, Clock, TaskMarks } from '#ports';
import { SqliteBarrier, type SqliteFile, type SqliteTx } from '#barrier';
import { writeTargetFile } from './target-file.js';
import { type Target, type TargetList, TargetTaken } from './target-list.js';

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

interface TargetRow {
  readonly instance: string;
  readonly target: string;
  readonly labels: string;
  readonly task_id: string;
  readonly run: string;
}

const ALL = 'SELECT * FROM targets ORDER BY instance';
const FIND = 'SELECT * FROM targets WHERE instance = ?';
const PUT = 'INSERT OR REPLACE INTO targets VALUES (?, ?, ?, ?, ?)';
const KEEP = 'INSERT OR IGNORE INTO targets VALUES (?, ?, ?, ?, ?)';
const REMOVE = 'DELETE FROM targets WHERE instance = ?';
const REMOVE_OWN = 'DELETE FROM targets WHERE instance = ? AND task_id = ? AND run = ?';

/** Targets in a table of this machine. */
export class SqliteTargets implements TargetList {
  readonly #barrier: SqliteBarrier;
  #projection: Promise<void> | null = null;

  constructor(
    private readonly file: SqliteFile,
    private readonly targetFile: string,
    clock: Clock,
  ) {
    this.#barrier = new SqliteBarrier(file, clock);
  }

  get marks(): TaskMarks {
    return this.#barrier;
  }

  async add(context: BarrierContext, targets: readonly Target[]): Promise<void> {
    await this.#barrier.forward(context, (tx) => {
      const taken = targets.flatMap(({ instance }) => rowsOf(tx, instance)).at(0);
      if (taken !== undefined) throw new TargetTaken(taken.instance, taken.task_id);
      for (const target of targets) put(tx, PUT, rowFor(target, context));
      return { added: targets.map(({ instance }) => instance) };
    });
    await this.project();
  }

  async undoAdd(context: BarrierContext): Promise<void> {
    await this.#barrier.rollback(context, (tx, output) => {
      const { taskId, run } = context;
      for (const instance of (output?.['added'] ?? []) as string[]) {
        tx.run(REMOVE_OWN, instance, taskId, run);
      }
    });
    await this.project();
  }

  async remove(context: BarrierContext, instances: readonly string[]): Promise<readonly string[]> {
    const output = await this.#barrier.forward(context, (tx) => {
      const removed = instances.flatMap((instance) => rowsOf(tx, instance));
      for (const { instance } of removed) tx.run(REMOVE, instance);
      return { removed: removed.map(asJson) };
    });
    await this.project();
    return rowsIn(output, 'removed').map(({ instance }) => instance);
  }

  async undoRemove(context: BarrierContext): Promise<void> {
    await this.#barrier.rollback(context, (tx, output) => {
      for (const row of rowsIn(output, 'removed')) put(tx, KEEP, row);
    });
    await this.project();
  }

  async list(): Promise<readonly Target[]> {
    return this.file.read((tx) => tx.all<TargetRow>(ALL)).map(targetOf);
  }

  /**
   * Writes the file from the table. Inside a transaction, so that of several processes none writes
   * an older state over a newer one; calls of one moment share one write.
   */
  project(): Promise<void> {
    this.#projection ??= this.file
      .write((tx) => {
        this.#projection = null;
        writeTargetFile(this.targetFile, tx.all<TargetRow>(ALL).map(targetOf));
      })
      // Also a write that never began.
      .finally(() => (this.#projection = null));
    return this.#projection;
  }
}

function targetOf({ instance, labels, target }: TargetRow): Target {
  return { instance, target, labels: readStoredJson(labels, 'labels') as Target['labels'] };
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
