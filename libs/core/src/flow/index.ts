export { type LockPlan, SLOTS_MAX } from './lock-plan.js';
export { hasNamedOutput, isHttpRequest } from './named-output.js';
export { stepsUpTo } from './only-step.js';
export { countWritten, stepsOfTask } from './output-step.js';
export { actionsIn, innerLists, planLists } from './plan-lists.js';
export { ancestorsOf, graphOf } from './program.js';
export {
  bothLimits,
  fitsAny,
  fitsPattern,
  refusalOfFlow,
  type StartLimits,
} from './start-limits.js';
export { declarationOf, isParentStep, kindOf } from './step-kind.js';
