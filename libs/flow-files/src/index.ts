export { problemsOfDefaults } from './problems-of-defaults.js';
export { faultsOfRun, type RunFault } from './check-definition.js';
export { CheckerBusy, CheckTooCostly } from './checking/errors.js';
export { FlowChecker, type FlowCheckerOptions } from './checking/flow-checker.js';
export {
  FlowFolder,
  type FileProblem,
  type FlowFolderOptions,
  type FolderUpdate,
} from './flow-folder.js';
export { FlowLibrary, type FlowLibraryOptions } from './flow-library.js';
export { isFlowFileName } from './folder-reading.js';
export { hashFlow } from './hash-flow.js';
export { type FlowOutline, outlineOf } from './doctor/flow-outline.js';
export type { NamedStart } from './doctor/starts-in.js';
export { changesSomething } from './doctor/changing.js';
export { type InputProblem, validateAgainst as checkParameters } from './input-schema.js';
export {
  parseFlowFile,
  validateFlowText,
  type FlowFile,
  type ParsedFlow,
  type ParseOptions,
  type Validation,
} from './parse-flow-file.js';
export type { FlowReading } from './parse-flow.js';
export type { KnownCommands } from './known-commands.js';
export { type JsonReading, readJson } from './read-json.js';
export {
  readSteps,
  type ReadSteps,
  StepReadingEvaluator,
  type StepsKnown,
  type StepsReading,
} from './read-steps.js';
export { StoredFlows, type StoredFlowsOptions } from './stored-flows.js';
export { PROBLEM_CODES, type Problem, type ProblemCode } from './problem.js';
export { splitPointer } from './json-pointer.js';
