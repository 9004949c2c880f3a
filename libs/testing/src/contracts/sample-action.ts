import { DEFAULT_TIMING, NO_RETRY } from '#core';
import { SAMPLE_TIME } from './sample-task.js';

/** The command of every step of a sample flow. */
export const SAMPLE_ACTION = {
  module: 'm',
  command: 'c',
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
} as const;

/** When everything happens to a sample task. */
export const SAMPLE_MOMENT = { now: SAMPLE_TIME, chance: 0, timing: DEFAULT_TIMING };
