// These load little: the thread of an embedded store loads nothing else of the core.
export { assertNever } from '../assert.js';
export { type FlowStanding, judgePut, type NewestVersion } from '../flow/put-verdict.js';
export { LINE_MAX } from './lock-ticket.js';
export { ALERT_FLOW, ALERT_RUN } from './parent.js';
export { TASK_STATUS } from './status.js';
