export { createTask, endedTask, proposeTask, stepsToRun } from './create-task.js';
export { askedIn, type Effect } from './effect.js';
export {
  asOneChange,
  conclude,
  type Decision,
  dispatchesOf,
  type Moved,
  type Proposal,
  propose,
  type Proposed,
  type QueuedAction,
  transition,
} from './transition.js';
