export { actionOf, dispatchFor, nextAttempt, priorityOf, runOf } from './dispatch.js';
export { earlyEnd } from './early-step.js';
export { isHeldByTime } from './failed-steps.js';
export { lostReason } from './lost-claim.js';
export { hasPassedPivot, pivotsOfTask } from './pivot.js';
export { isRunId, labelOf, listNameOf, placeOf, placeOfStep, runIdOf } from './run-id.js';
export { scopeIndexOf, scopesOf } from './scope-index.js';
export {
  firstPlace,
  outermostPlace,
  scopeAt,
  stepAt,
  stepsIn,
  TASK,
  isToStop,
  wantsAction,
} from './step-at.js';
export { changedSteps, openActions } from './task-index.js';
export { timeOver, wakeTime } from './wake.js';
