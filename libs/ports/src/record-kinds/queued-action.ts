import type { StepMessage } from '#core';
import { FINITE, oneOf, TEXT } from '#core/json';
import { recordKind } from '../record-kind.js';

/** An action that waits for an executor, named as its message names it. */
export interface QueuedAction extends Pick<
  StepMessage,
  'taskId' | 'run' | 'type' | 'module' | 'command'
> {
  /** Of those that wait for a module, the one with the smallest is started next. */
  readonly orderAt: number;
}

/** The id of a queued action. */
export function queuedId({ run, taskId, type }: Omit<QueuedAction, 'orderAt'>): string {
  return `${taskId} ${type} ${run}`;
}

/** Queued actions whose order a broker does not keep. `line`: those of a module. */
export const QUEUED_ACTION = recordKind<QueuedAction, 'line'>({
  name: 'queued_action',
  plural: 'queued_actions',
  shape: {
    taskId: TEXT,
    run: TEXT,
    type: oneOf([0, 1], '0 or 1'),
    module: TEXT,
    command: TEXT,
    orderAt: FINITE,
  },
  idOf: queuedId,
  isPassing: true,
  indexes: { line: { of: ['module'], by: 'orderAt' } },
});
