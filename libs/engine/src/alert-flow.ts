import { type Action, ALERT_FLOW, type FlowOfTask } from '#core';
import type { AlertAction } from './parts.js';

/** An alert task is tried until a person has the alert: neither time nor attempts end it. */
const ALWAYS: Omit<Action, 'command' | 'module'> = {
  timeoutMs: Number.MAX_SAFE_INTEGER,
  attemptTimeoutMs: 30_000,
  retry: {
    attempts: Number.MAX_SAFE_INTEGER,
    backoff: 'exponential',
    delayMs: 1_000,
    maxDelayMs: 60_000,
    jitter: true,
  },
  // A lost attempt is one of its retries, which never end and wait longer each time.
  onCrash: { restarts: 0 },
  parameters: null,
};

/** The flow of tasks that call a person by a command: one step, with nothing to undo. */
export function alertFlow(action: AlertAction): FlowOfTask {
  const normal = { ...action, ...ALWAYS };
  const steps = [{ name: 'alert', needs: [], normal, rollback: null }];
  const definition = { name: ALERT_FLOW, description: null, input: null, timeoutMs: null, steps };
  return { definition, version: 1 };
}
