import { randomBytes } from 'node:crypto';
import type { Dispatch, StepMessage } from '#core';

/** A module name that no other test uses: queues of a broker outlive a test. */
export function freshModule(): string {
  return `contract-${randomBytes(6).toString('hex')}`;
}

/** A message about a step of that name. */
export function stepDispatch(
  module: string,
  step: string,
  more: {
    message?: Partial<StepMessage>;
    priority?: number;
    orderAt?: number;
    traceparent?: string;
  } = {},
): Dispatch {
  const message: StepMessage = {
    v: 1,
    taskId: '019a9f6e-0000-7000-8000-000000000001',
    cursor: 0,
    type: 0,
    parameters: {},
    module,
    command: 'check_resource',
    timeout: 300,
    retry: 0,
    step,
    run: step,
    attempt: 1,
    ...more.message,
  };
  const { orderAt = 0, priority = 0, traceparent = null } = more;
  return { message, priority, orderAt, traceparent };
}
