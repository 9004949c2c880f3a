export { problemsOfDefaults, readSteps, StepReadingEvaluator } from './parse-flow.js';
export { faultsOfRun } from './check-definition.js';
export { CheckerBusy, CheckTooCostly } from './checking/protocol.js';
export { FlowChecker } from './checking/flow-checker.js';
export type { FileProblem } from './flow-folder.js';
export { flowTexts } from './flow-texts.js';
export { FlowLibrary } from './flow-library.js';
export { FolderWatch } from './folder-watch.js';
export { isFlowFileName } from './folder-reading.js';
export { type NamedStart, outlineOf } from './doctor/flow-outline.js';
export { changesSomething } from './doctor/check-undo.js';
export { faultsOfOutputSchema } from './announced-schemas.js';
export { type InputProblem, validateAgainst as checkParameters } from './input-schema.js';
export {
  parseFlowFile,
  validateFlowText,
  type ParsedFlow,
  type ParseOptions,
  type Validation,
} from './parse-flow-file.js';
export { type KnownCommands, announcedCommands, knownCommandsOf } from './known-commands.js';
export { type JsonReading, readJson } from './read-json.js';
export { StoredFlows } from './stored-flows.js';
export { PROBLEM_CODES, type Problem, type ProblemCode, type Words } from './problem.js';
export { splitPointer } from './json-pointer.js';
export { FINDING_HELP, findingType } from './findings/index.js';
