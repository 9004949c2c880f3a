import type { NormalState, RollbackState, TaskStatusName } from '#core';

/** The meaning of each status; the compiler reports one that is missing. */
export const TASK_STATES: Readonly<Record<TaskStatusName, string>> = {
  succeeded: 'every step succeeded',
  not_started: 'stored; no step has started',
  running: 'on the way forward',
  rolling_back: 'on the way back',
  rolled_back: 'it failed, or a person rolled it back, and everything that ran is undone',
  rollback_failed: 'a rollback used up its attempts: waits for a person, with an alert',
  terminated: 'a person ended it, without a rollback or before the end of it',
  on_hold:
    'a step failed for good and the flow says hold, or a person rolled it back to a step: waits for a person, or for the end of its hold',
  paused: 'a person paused it: what runs ends, and nothing starts in either direction',
};

/** The meaning of each state of a step's normal action. */
export const NORMAL_STATES: Readonly<Record<NormalState, string>> = {
  pending: 'waits for the steps it needs',
  queued: 'its message is on the way to an executor',
  running: 'an executor has claimed it, and its process renews its session',
  waiting: 'for its next attempt or look, or for a time, a signal, an approval or a completion',
  succeeded: 'its output is stored',
  failed: 'its attempts are used up, or a failure was terminal',
  timed_out: 'the time for all its attempts is over',
  terminated:
    'called off before its end: a person ended its task or had it go back, or something around it failed or ran out of time',
  skipped: 'passed over: its condition is false, the task ended before it, or a person skipped it',
};

/** The meaning of each state of a step's rollback. */
export const ROLLBACK_STATES: Readonly<Record<RollbackState, string>> = {
  none: 'there is nothing to undo (yet)',
  pending: 'waits for the rollbacks of the steps that came after it',
  queued: 'its message is on the way to an executor',
  running: 'an executor has claimed it, and its process renews its session',
  waiting: 'for its next attempt or look, or for a completion',
  failed: 'its attempts are used up: a person retries or skips it',
  succeeded: 'the step is undone',
  skipped: 'a person has undone the step by hand and said so',
};
