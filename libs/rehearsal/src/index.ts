export type { How, Where } from './fault.js';
export { type Cell, type Rehearsal, rehearse } from './rehearse.js';
export type {
  RehearsedFlow,
  Scenario,
  ScriptedAnswer,
  ScriptedApproval,
  ScriptedSignal,
} from './scenario.js';
export type { Result, Verdict } from './verdict.js';
