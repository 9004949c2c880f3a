export { readStream, type ReadStream, type StreamPlan } from './event-stream.js';
export { type Answer, Api, type Ask, type EventView, type TaskView } from './api.js';
export {
  canSucceed,
  FAILING_FLOW,
  FAILS_LAST,
  possibleInstance,
  someInstance,
} from './instances.js';
export { Load, type LoadPlan, type NextOrder, type Order } from './load.js';
export { type EffectView, effectsOf, PRACTICE_FLOWS } from './practice.js';
export { ChangeReader, type ChangeView } from './change-stream.js';
export { Worker, type WorkItemView } from './worker.js';
