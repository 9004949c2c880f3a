export { brokerBlows, brokerDeaths } from './broker-faults.js';
export { clockJumps } from './clock-faults.js';
export {
  allBlows,
  blowsToLines,
  type DistributedOptions,
  type DistributedTarget,
  startDistributed,
} from './distributed.js';
export { FakeClocks } from './fake-clocks.js';
export type { Hold } from './hold.js';
export { frozen, killed, replaced } from './process-faults.js';
