import type { BuiltFlow } from '../build-flow.js';
import { checkChildren } from './check-children.js';
import { checkClauses } from './check-clauses.js';
import { checkEnds } from './check-ends.js';
import { checkFailureFlow } from './check-failure-flow.js';
import { checkForeach } from './check-foreach.js';
import { checkLocks } from './check-locks.js';
import { checkMaxLive } from './check-max-live.js';
import { checkPicked } from './check-picked.js';
import { checkPivots } from './check-pivots.js';
import { checkRequired } from './check-required.js';
import { checkTakenOutputs } from './check-taken-outputs.js';
import { checkTime } from './check-time.js';
import { checkUndo } from './check-undo.js';
import { checkWrites } from './check-writes.js';
import type { Examination } from './examination.js';
import { checkExpressions } from './expressions.js';
import { checkReferences } from './references.js';
import { listsOf } from './list-view.js';

/** Where a flow stands, what is known besides, and where to say what was found. */
type Findings = Omit<Examination, 'definition' | 'lists' | 'origins'>;

/** Looks through a flow that is well formed: what cannot work is a problem, the rest a warning. */
export function examine({ definition, origins }: BuiltFlow, findings: Findings): void {
  const lists = [...listsOf(definition)];
  const examination: Examination = { definition, origins, ...findings, lists };
  checkPicked(examination, checkExpressions(examination));
  checkReferences(examination);
  checkRequired(examination);
  checkEnds(examination);
  checkClauses(examination);
  checkUndo(examination);
  checkTime(examination);
  checkPivots(examination);
  checkWrites(examination);
  checkTakenOutputs(examination);
  checkChildren(examination);
  checkFailureFlow(examination);
  checkMaxLive(examination);
  checkForeach(examination);
  checkLocks(examination);
}
