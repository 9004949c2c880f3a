export type { FaultSwitches } from './faults/fault-switches.js';
export { type Blow, loseAttempt, strike, TaskPaths } from './faults/strike.js';
export { openPorts, openStore, type PortParts, type Ports } from './open-ports.js';
export {
  type ContextOptions,
  type EnginePorts,
  type ProcessContext,
  VERSION,
} from './process-context.js';
export { ExecutorsError, loadExecutors } from './load-executors.js';
export { liveGauge, valueGauge } from './live-metrics.js';
export { readPrivateFile } from './private-file.js';
export { executorPlan, type ExecutorProcess, runExecutor } from './run-executor.js';
export { listenerOf, runProcess } from './run-process.js';
export {
  type Companion,
  type ProcessHandle,
  type ProcessParts,
  type ProcessPlan,
  type RunningProcess,
  startProcess,
} from './start-process.js';
