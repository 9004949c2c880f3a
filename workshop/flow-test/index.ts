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
export { readScenarios, type TestedScenario, UnusableFile } from './read-scenarios.js';
export { type UnreachedBranch, unreachedBranches } from './unreached.js';
export { type FoundFlow, readFlows, withRehearsals } from './with-rehearsals.js';
