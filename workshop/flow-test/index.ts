export { firstTestFile } from './first-test-file.js';
export {
  compare,
  complaints,
  type JudgedCell,
  type MatrixRow,
  matrixRows,
  nameOf,
  type TestedFlow,
} from './matrix.js';
export { type FoundFlow, readFlows } from './read-flows.js';
export { readScenarios, type TestedScenario, UnusableFile } from './read-scenarios.js';
export { type UnreachedBranch, unreachedBranches } from './unreached.js';
export { withRehearsals } from './with-rehearsals.js';
