export { Reach } from './play.js';
export { type Rehearsal, rehearse, type Verdict } from './rehearse.js';
export { type Fault, type How, type Scenario, type ScriptedAnswer, WHERES } from './scenario.js';
export {
  type Cell,
  type Played,
  type PlayedRun,
  type Trials,
  tryEverything,
} from './try-everything.js';
