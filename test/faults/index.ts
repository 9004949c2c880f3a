export { brokerBlows } from './broker-faults.js';
export { childrenOf } from './child-processes.js';
export { clockJumps, clocksApart, startedWrong, WRONG_BY_S } from './clock-faults.js';
export {
  blowsToLines,
  distributedBlows,
  type DistributedTarget,
  startDistributed,
} from './distributed.js';
export { FakeClocks } from './fake-clocks.js';
export type { Hold } from './hold.js';
export { planOlderLab } from './plan-older-lab.js';
export { replaced } from './process-faults.js';
export {
  standaloneBlows,
  type StandaloneTarget,
  startStandalone,
  storeWithoutRoom,
} from './standalone.js';
export { storeOutages } from './store-faults.js';
