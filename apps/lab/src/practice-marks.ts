import type { SqliteFile } from '#barrier';
import type { TaskMarks } from '#ports';

/** Tables with records of tasks, and the column or expression that has the id of the task. */
const KEPT = [
  ['effects', 'task_id'],
  ['completions', 'task_id'],
  // The key of a look begins with the task's id.
  ['looks', "substr(id, 1, instr(id || ':', ':') - 1)"],
] as const;

const PAGE = 500;

/**
 * Forgets, with the marks of removed tasks, the effects, the looks and the completions of these.
 * Of those without marks the age is that of the task, which its id begins with.
 */
export class PracticeMarks implements TaskMarks {
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
