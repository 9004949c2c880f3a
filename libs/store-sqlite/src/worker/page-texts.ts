import { STATE_FORMAT } from '../state-codec.js';
import type { BoundStatement } from './list-statement.js';
import type { StatementShelf } from './statement-shelf.js';

/** Characters of a state that nearly always have what a list shows of it. */
export const STATE_HEAD_CHARACTERS = 1_024;

/** The same where the task has no message: a format, a position and two times. */
const SHORT_HEAD_CHARACTERS = 96;
const WITHOUT_MESSAGE = `[[${STATE_FORMAT},null,`;

const STATE_HEAD =
  `substr(p.state, 1, CASE WHEN substr(p.state, 1, ${WITHOUT_MESSAGE.length}) = ` +
  `'${WITHOUT_MESSAGE}' THEN ${SHORT_HEAD_CHARACTERS} ELSE ${STATE_HEAD_CHARACTERS} END)`;

/** The columns that a list shows; those before the plan and the journal are read without them. */
export const SUMMARY_COLUMNS =
  't.task_id, p.id, p.revision, p.status, p.wake_at, p.flow, p.created_at, t.head, ' +
  'p.waits, p.awaits';

const ROW = `json_array(${SUMMARY_COLUMNS}, ${STATE_HEAD})`;

/**
 * A page of a list as the JSON text of its rows and of one row more, if there is one; `list` reads
 * where they stand. One text
 * costs less than the cells that it is made of: most of what reading a row costs is handing out
 * its columns, and to hand them from thread to thread.
 */
export function readPageText(
  statements: StatementShelf,
  { parameters, sql }: BoundStatement,
): string {
  const statement = statements.prepare(
    // The loops are nested as they are written, so that the rows stay in the order of the page.
    `SELECT json_group_array(${ROW}) FROM (${sql}) x ` +
      'CROSS JOIN progress p ON p.id = x.id LEFT JOIN task t ON t.id = x.id',
  );
  return String(statement.row(parameters)?.[0]);
}
