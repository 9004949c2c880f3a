import type { Step, Task } from '../api/shapes.js';

/** A step of a test: pending, with an undo, unless said otherwise. */
export function step(name: string, more: Partial<Step> = {}): Step {
  const run = { code: 0, message: null, timeStart: null, timeEnd: null, attempts: 0 };
  const action = { module: 'm', command: name };
  return {
    ...run,
    name,
    id: name,
    kind: 'normal',
    needs: [],
    generation: 1,
    state: 'pending',
    output: null,
    normal: action,
    rollback: { ...run, module: 'm', command: `undo_${name}`, state: 'none' },
    ...more,
  };
}

/** A step that ran from then on. */
export function ran(name: string, timeStart: number, more: Partial<Step> = {}): Step {
  return step(name, { state: 'succeeded', timeStart, timeEnd: timeStart + 1, ...more });
}

/** The undo of a step, in this state. */
export function undo(state: string): NonNullable<Step['rollback']> {
  return { ...(step('x').rollback as NonNullable<Step['rollback']>), state };
}

/** A task of a test. */
export function task(status: string, steps: readonly Step[], more: Partial<Task> = {}): Task {
  return {
    taskId: 't',
    flow: 'f',
    flowVersion: 1,
    status,
    timeCreate: 1,
    timeStart: 1,
    timeEnd: null,
    taskMessage: null,
    labels: {},
    approvals: [],
    awaits: null,
    revision: 1,
    priority: 0,
    input: {},
    parameters: {},
    wakeAt: null,
    paused: null,
    hold: null,
    lastError: null,
    restartOf: null,
    parent: null,
    origin: null,
    only: null,
    steps,
    ...more,
  };
}
