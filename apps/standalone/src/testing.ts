/** `backstep/testing`, as a package. Held in test/architecture/public-api.spec.ts. */
export { secretResolverContract, type SecretResolverFixture } from '#testing';
export { attemptOf, barrierContract, type BarrierFixture, commandContext } from '#testing';
export {
  type FlowTest,
  type FlowTestOptions,
  type RunOptions,
  startFlowTest,
  type TestedStep,
  type TestedTask,
} from './flow-test.js';
