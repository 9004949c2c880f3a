import type { JsonObject } from '#core';
import { outputText } from '#json';
import type { BarrierContext, TaskMarks } from '#ports';
import {
  type Mark,
  type MarkState,
  OLD_MARKS,
  type OldMark,
  outputOfMark,
  tasksOfMarks,
} from '../mark.js';
import type { SqliteFile } from './sqlite-file.js';
import type { SqliteTx } from './sqlite-tx.js';

/** Migration that creates the table of marks; a participant puts it among its own. */
export const BARRIER_TABLE = `
  CREATE TABLE barrier (
    task_id TEXT NOT NULL,
    run TEXT NOT NULL,
    token INTEGER NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('open', 'applied', 'undoing', 'undone')),
    output TEXT,
    touched_at INTEGER NOT NULL,
    PRIMARY KEY (task_id, run)
  ) WITHOUT ROWID;
  CREATE INDEX barrier_touched ON barrier (touched_at);
`;

const FIND = 'SELECT token, state, output FROM barrier WHERE task_id = ? AND run = ?';
const PUT = `INSERT INTO barrier (task_id, run, token, state, output, touched_at)
  VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (task_id, run) DO UPDATE SET token = max(token, excluded.token),
    state = excluded.state, output = coalesce(excluded.output, output),
    touched_at = excluded.touched_at`;
const SEE = `INSERT INTO barrier (task_id, run, token, state, touched_at)
  VALUES (?, ?, ?, 'open', ?)
  ON CONFLICT (task_id, run) DO UPDATE SET token = max(token, excluded.token)`;
const OLD = `SELECT touched_at AS touchedAt, task_id AS taskId, run AS key FROM barrier
  WHERE touched_at < ? AND (touched_at, task_id, run) > (?, ?, ?)
  ORDER BY touched_at, task_id, run LIMIT ${OLD_MARKS}`;
const FORGET = 'DELETE FROM barrier WHERE task_id = ? AND touched_at < ?';

/** A mark as it is to be stored. */
export interface MarkUpdate {
  readonly state: MarkState;
  readonly now: number;
  readonly output?: JsonObject | null;
}

/** The mark of a run, or null. */
export function findMark(tx: SqliteTx, { taskId, run }: BarrierContext): Mark | null {
  const row = tx.get<{ token: number; state: MarkState; output: string | null }>(FIND, taskId, run);
  if (row === undefined) return null;
  return { token: row.token, state: row.state, output: outputOfMark(row.output) };
}

/** Stores a run's mark; an output that is not given stays. */
export function putMark(tx: SqliteTx, context: BarrierContext, update: MarkUpdate): void {
  const { taskId, run, fencingToken } = context;
  const output = update.output ? outputText(update.output) : null;
  tx.run(PUT, taskId, run, fencingToken, update.state, output, update.now);
}

/** Remembers that an attempt with this token was here, whatever the state. */
export function seeToken(tx: SqliteTx, context: BarrierContext, now: number): void {
  tx.run(SEE, context.taskId, context.run, context.fencingToken, now);
}

/** The marks of a file, by the tasks that they are of. */
export class SqliteMarks implements TaskMarks {
  constructor(private readonly file: Pick<SqliteFile, 'read' | 'write'>) {}

  oldTasks(before: number): AsyncIterable<readonly string[]> {
    return tasksOfMarks(({ key, taskId, touchedAt }) => {
      return this.file.read((tx) => tx.all<OldMark>(OLD, before, touchedAt, taskId, key));
    });
  }

  forget(taskIds: readonly string[], before: number): Promise<number> {
    return this.file.write((tx) => {
      return taskIds.reduce((sum, taskId) => sum + tx.run(FORGET, taskId, before), 0);
    });
  }
}
