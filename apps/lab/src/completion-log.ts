import type { SqliteFile } from '#barrier';
import type { CommandContext } from '#executor';

/** Migration: attempts that wait for their completion from outside. */
export const COMPLETION_TABLE = `
  CREATE TABLE completions (
    task_id TEXT NOT NULL,
    run TEXT NOT NULL,
    direction TEXT NOT NULL,
    step TEXT NOT NULL,
    token TEXT NOT NULL,
    PRIMARY KEY (task_id, run, direction)
  ) WITHOUT ROWID;
`;

/** The identity and the token that an outside party needs to complete an attempt. */
export interface ExpectedCompletion {
  readonly taskId: string;
  readonly step: string;
  /** Id of the step's run. */
  readonly id: string;
  readonly direction: string;
  readonly token: string;
}

const KEEP = `INSERT INTO completions VALUES (?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET token = excluded.token`;
const COLUMNS = 'task_id AS taskId, step, run AS id, direction, token';
const LIST = `SELECT ${COLUMNS} FROM completions ORDER BY task_id DESC, step, run LIMIT ?`;
const LIST_OF_TASK = `SELECT ${COLUMNS} FROM completions WHERE task_id = ?
  ORDER BY step, run LIMIT ?`;

/** Stands for the system that gets the tokens: keeps those of the newest attempts for readers. */
export class CompletionLog {
  constructor(private readonly file: SqliteFile) {}

  async keep({ completionToken, direction, run, step, taskId }: CommandContext): Promise<void> {
    await this.file.write((tx) => tx.run(KEEP, taskId, run, direction, step, completionToken));
  }

  list(limit: number, taskId?: string): readonly ExpectedCompletion[] {
    return this.file.read((tx) =>
      taskId === undefined
        ? tx.all<ExpectedCompletion>(LIST, limit)
        : tx.all<ExpectedCompletion>(LIST_OF_TASK, taskId, limit),
    );
  }
}
