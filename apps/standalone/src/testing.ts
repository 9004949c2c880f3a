/** `backstep/testing`, as a package. Held in test/architecture/public-api.spec.ts. */
export { secretResolverContract, type SecretResolverFixture } from '#testing';
export { attemptOf, barrierContract, type BarrierFixture, commandContext } from '#testing';
export type {
  CompletionFailure,
  FlowTest,
  FlowTestOptions,
  RunOptions,
  StartedTask,
  StepFault,
  TestedStep,
  TestedTask,
  TestedWait,
} from './flow-test/flow-test.js';
export { startFlowTest } from './flow-test/start-flow-test.js';
export type { TestedRequest, TestedResponse } from './flow-test/test-http.js';
export type { Gateway, OwnModules } from './own-modules.js';
