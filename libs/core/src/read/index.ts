export { ownersOf } from './owners.js';
export { PLANNED_TASK, type PlannedStep, PlanWalk } from './plan-walk.js';
export { restsSince, restsSinceBefore } from './retention.js';
export {
  calledOffIn,
  type ChildrenUndo,
  type CommandUndo,
  type PlannedUndo,
  rollbackPlan,
  type RollbackPlan,
} from './rollback-plan.js';
