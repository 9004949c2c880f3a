export { type Fault, type How, type Where, WHERES } from './fault.js';
export { type Rehearsal, rehearse } from './rehearse.js';
export type {
  RehearsedFlow,
  Scenario,
  ScriptedAnswer,
  ScriptedApproval,
  ScriptedSignal,
} from './scenario.js';
export {
  type Cell,
  type Played,
  type PlayedRun,
  type TrialOptions,
  type Trials,
  tryEverything,
} from './try-everything.js';
export type { Result, Verdict } from './verdict.js';
