import type { BuiltFlow } from '../build-flow.js';
import type { ProblemList } from '../problem.js';
import { checkClauses, checkEnds } from './check-ends.js';
import { checkFailureFlow } from './check-failure-flow.js';
import { checkPivots } from './check-pivots.js';
import { checkTime } from './check-time.js';
import { checkUndo } from './check-undo.js';
import { checkWrites } from './check-writes.js';
import type { Examination } from './examination.js';
import { checkExpressions } from './expressions.js';
import { listsOf } from './list-view.js';

/** Where a flow stands, and where to say what was found. */
export interface Findings {
  readonly pointer: string;
  readonly problems: ProblemList;
  readonly warnings: ProblemList;
  /** Names of the flows that there are; null: that is not known. */
  readonly flows: ReadonlySet<string> | null;
}

/** Looks through a flow that is well formed: what cannot work is a problem, the rest a warning. */
export function examine({ definition, origins }: BuiltFlow, findings: Findings): void {
  const lists = [...listsOf(definition)];
  const examination: Examination = { definition, origins, ...findings, lists };
  checkExpressions(examination);
  checkEnds(examination);
  checkClauses(examination);
  checkUndo(examination);
  checkTime(examination);
  checkPivots(examination);
  checkWrites(examination);
  checkFailureFlow(examination);
}
