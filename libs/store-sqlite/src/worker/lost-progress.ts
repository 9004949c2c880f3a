import { LOST_STATUS } from '../lost-status.js';
import type { Database } from './database.js';

/** A text of the plan, where there is one. */
const FLOW = `CASE WHEN json_valid(plan) THEN json_extract(plan, '$[3]') END`;
const CREATED_AT = `CASE WHEN json_valid(plan) THEN json_extract(plan, '$[5]') END`;

const STAND_INS =
  'INSERT INTO progress (id, revision, status, flow, created_at, state, journal) ' +
  `SELECT id, 0, ${LOST_STATUS}, coalesce(${FLOW}, ''), coalesce(${CREATED_AT}, 0), '', '' ` +
  'FROM task t WHERE NOT EXISTS (SELECT 1 FROM progress p WHERE p.id = t.id)';

/**
 * Gives each task whose progress is gone one that nobody can read. Lists and loops go by progress:
 * without any, a task is in none of them, and its key is taken for ever by a task that is not
 * there. The rows are counted first, which indexes alone tell, because there are never any lost in
 * a file that nobody has laid hands on.
 */
export function standInForLost(db: Database): void {
  const tasks = Number(db.value('SELECT count(*) FROM task'));
  if (tasks > Number(db.value('SELECT count(*) FROM progress'))) db.execute(STAND_INS);
}
