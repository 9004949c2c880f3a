export {
  type Approval,
  APPROVAL,
  approvalsAsked,
  checkWaits,
  readWait,
  waitsAsked,
  waitsForPerson,
  waitText,
} from './approvals.js';
export { archivedTask, putBack, readArchivedTask } from './archived-task.js';
export { AWAITED_KINDS, awaitedBy, awaitedText, readAwaited } from './awaited.js';
export { type Codec, codecOf, type Medium, rowsOf, type Stored } from './codec.js';
export { formFault, formOf, nullable, plain, unless } from './form.js';
export { isNotableChange } from './notable-change.js';
export { hasSameTerms, type SearchTerm, searchTermsOf } from './search-terms.js';
export { stepsFault } from './step-shape.js';
export { ENTRY, PLAN, RUNS, SCOPE, TASK_FORM } from './task-members.js';
export { checkTask, limitsFault, taskFault } from './task-shape.js';
export { revisionInSnapshot, snapshotOf, taskOfSnapshot } from './task-snapshot.js';
export { summaryFault, summaryOf, type TaskSummary } from './task-summary.js';
