export { alertKey, alertRequest, isCalledBy, wantsAlertTask } from './alert-task.js';
export {
  childKey,
  childQuestion,
  childRequest,
  childSource,
  type ChildSource,
  partOfFlow,
} from './child-request.js';
export { type ChildRound, failedItems, numberOf, wholeTally } from './child-rounds.js';
export { type ChildrenPlan, childrenToTend, childRunsOf, tallyAt } from './children.js';
export { failureKey, failureRequest, wantsFailureTask } from './failure-flow.js';
export { heldAsWritten, heldAt, type HeldSteps } from './held-steps.js';
