import { type JournalEntry, type JournalKind, type Task, traceparentOf } from '#core';
import type { Notice, Observer } from '#ports';
import { formatDuration } from '#wording';
import type { Logger } from './logger.js';

type Level = 'debug' | 'info' | 'warn' | 'error';

/**
 * The log level of each fact. Facts that go as planned are `debug`: a busy process in which nothing
 * goes wrong logs nothing at `info`.
 */
const LEVELS: Readonly<Record<JournalKind, Level>> = {
  created: 'debug',
  started: 'debug',
  succeeded: 'debug',
  not_finished: 'debug',
  retry_scheduled: 'debug',
  restart_scheduled: 'debug',
  dispatched_again: 'debug',
  called_off: 'debug',
  caught: 'info',
  passed_over: 'debug',
  signal_received: 'info',
  waits_for_locks: 'debug',
  locks_taken: 'debug',
  failure_flow_started: 'info',
  failure_flow_refused: 'warn',
  approved: 'info',
  rejected: 'info',
  task_succeeded: 'debug',
  failed: 'info',
  timed_out: 'info',
  handed_back: 'info',
  rollback_requested: 'info',
  terminate_requested: 'info',
  retry_requested: 'info',
  skip_requested: 'info',
  pause_requested: 'info',
  resume_requested: 'info',
  reset_requested: 'info',
  undo_requested: 'info',
  task_on_hold: 'warn',
  forward_again: 'info',
  turned_back: 'info',
  task_rolled_back: 'info',
  task_terminated: 'info',
  lease_lost: 'warn',
  reported_late: 'warn',
  alert_raised: 'error',
  alert_started: 'info',
  task_rollback_failed: 'error',
};

/** Facts of a child task that goes back or ends as its parent has it do. */
const WITH_PARENT: ReadonlySet<JournalKind> = new Set<JournalKind>([
  'turned_back',
  'task_rolled_back',
  'task_terminated',
]);

/**
 * Whether a fact of a child task only follows from what its parent does. A parent may have many
 * thousands of them undone, and its own facts are logged; so is what made a child fail.
 */
function followsParent({ parent }: Task['plan'], { actor, kind }: JournalEntry): boolean {
  if (parent === null) return false;
  return WITH_PARENT.has(kind) || actor === `task ${parent.taskId}`;
}

/** Logs facts, one line each. */
export class LogObserver implements Observer {
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  committed({ plan }: Task, entries: readonly JournalEntry[]): void {
    for (const entry of entries) {
      const { kind } = entry;
      const level = followsParent(plan, entry) ? 'debug' : LEVELS[kind];
      if (!this.#logger.isLevelEnabled(level)) continue;
      const { step, run, attempt, direction, actor, stack } = entry;
      const { flow, taskId } = plan;
      const trace_id = traceparentOf(plan)?.slice(3, 35);
      const place = { taskId, step, run, attempt, direction };
      const about = { event: kind, ...place, actor, flow, trace_id, stack };
      this.#logger[level](about, entryMessage(entry));
    }
  }

  noticed({ level, name, message, taskId, module, error }: Notice): void {
    if (!this.#logger.isLevelEnabled(level)) return;
    this.#logger[level]({ event: name, taskId, module, error }, message);
  }
}

/** The sentence that people read about a fact; undefined: its kind says everything. */
export function entryMessage(entry: JournalEntry): string | undefined {
  const { at, dueAt, kind, message, unapproved } = entry;
  if (unapproved === true) return `skipped, not approved: ${message ?? ''}`;
  if (kind === 'restart_scheduled') return 'its executor was lost; this uses up no retry';
  if (dueAt === undefined) return message;
  const waitMs = dueAt - at;
  if (kind === 'retry_scheduled') return `again in ${waitMs} ms`;
  if (kind === 'task_on_hold') {
    return `${message ?? ''}; it rolls back by itself in ${formatDuration(waitMs)}`;
  }
  return `held back for ${waitMs} ms, because one was sent just now: ${message ?? ''}`;
}
