import type { BuiltFlow } from '../build-flow.js';
import type { ProblemList } from '../problem.js';
import { checkChildren } from './check-children.js';
import { checkClauses } from './check-clauses.js';
import { checkEnds } from './check-ends.js';
import { checkFailureFlow } from './check-failure-flow.js';
import { checkForeach } from './check-foreach.js';
import { checkLocks } from './check-locks.js';
import { checkMaxLive } from './check-max-live.js';
import { checkPicked } from './check-picked.js';
import { checkPivots } from './check-pivots.js';
import { checkTime } from './check-time.js';
import { checkUndo } from './check-undo.js';
import { checkWrites } from './check-writes.js';
import type { Examination } from './examination.js';
import { checkExpressions } from './expressions.js';
import { checkReferences } from './references.js';
import type { KnownFlows } from './flow-outline.js';
import { listsOf } from './list-view.js';

/** Where a flow stands, and where to say what was found. */
interface Findings {
  readonly pointer: string;
  readonly problems: ProblemList;
  readonly warnings: ProblemList;
  readonly known: KnownFlows;
  /** Names of steps in the lists around all of it, where it is a part of something. */
  readonly around: ReadonlySet<string>;
}

/** Looks through a flow that is well formed: what cannot work is a problem, the rest a warning. */
export function examine({ definition, origins }: BuiltFlow, findings: Findings): void {
  const lists = [...listsOf(definition)];
  const examination: Examination = { definition, origins, ...findings, lists };
  checkExpressions(examination);
  checkPicked(examination);
  checkReferences(examination);
  checkEnds(examination);
  checkClauses(examination);
  checkUndo(examination);
  checkTime(examination);
  checkPivots(examination);
  checkWrites(examination);
  checkChildren(examination);
  checkFailureFlow(examination);
  checkMaxLive(examination);
  checkForeach(examination);
  checkLocks(examination);
}
