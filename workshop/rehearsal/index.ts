export { type Fault, type How, WHERES } from './fault.js';
export { Reach } from './reach.js';
export { type Rehearsal, rehearse } from './rehearse.js';
export type { Scenario, ScriptedAnswer } from './scenario.js';
export {
  type Cell,
  type Played,
  type PlayedRun,
  type Trials,
  tryEverything,
} from './try-everything.js';
export type { Verdict } from './verdict.js';
