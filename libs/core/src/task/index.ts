// These load little: the thread of an embedded store and the processes that work out expressions
// load nothing else of the core but its JSON.
export { assertNever } from '../assert.js';
export { type FlowStanding, judgePut, type NewestVersion } from '../flow/put-verdict.js';
export type { Draft } from './action-run.js';
export { LINE_MAX } from './lock-ticket.js';
export { ALERT_FLOW, ALERT_RUN, CHILDREN_MAX } from './parent.js';
export { TASK_STATUS } from './status.js';
