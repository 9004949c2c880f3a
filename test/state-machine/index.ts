import { NORMAL_EVENTS } from './normal-events.js';
import { ROLLBACK_EVENTS } from './rollback-events.js';
import { TASK_EVENTS } from './task-events.js';

export type { EventTable } from './event-table.js';
export { KIND_COLUMNS, KIND_TABLE, type KindCell, type KindColumn } from './kind-table.js';
export { observeAll } from './observe.js';

/** The state machine: what each event does in each state, by what it is done to. */
export const EVENT_TABLES = {
  normal: NORMAL_EVENTS,
  rollback: ROLLBACK_EVENTS,
  task: TASK_EVENTS,
} as const;
