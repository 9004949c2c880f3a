import type { NextOrder } from './load.js';

/** Makes an instance and fails after all of it is done: everything has to be undone. */
export const FAILS_LAST = 'create-and-fail';

/** More than any host has. */
const TOO_MUCH = 900_000_000;

const UNDO = {
  check: { module: 'monitor', command: 'report_event', timeout: 300, retry: 3 },
  init: { module: 'mysql', command: 'clean_instance', timeout: 900, retry: 3 },
  deduct: { module: 'resource', command: 'restore_resource', timeout: 200, retry: 2 },
};

/** The flow {@link FAILS_LAST}: `create-db-instance` with one more step. */
export const FAILING_FLOW = {
  [FAILS_LAST]: [
    { normal: { module: 'resource', command: 'check_resource' }, rollback: UNDO.check },
    { normal: { module: 'mysql', command: 'init_instance', retry: 3 }, rollback: UNDO.init },
    { normal: { module: 'resource', command: 'deduct_resource', retry: 2 }, rollback: UNDO.deduct },
    {
      normal: {
        module: 'lab',
        command: 'fail',
        parameters: { kind: 'terminal', message: 'the last step was told to fail' },
      },
    },
  ],
};

/** Mostly instances that can be made; some too large for every host, some that fail at the end. */
export const someInstance: NextOrder = (random) => {
  const size = {
    cpu: random.between(1, 8),
    memory: random.between(1, 64),
    storage: random.between(10, 500),
  };
  const kind = random.next();
  if (kind < 0.1) return { flow: 'create-db-instance', parameters: { ...size, cpu: TOO_MUCH } };
  const flow = kind < 0.25 ? FAILS_LAST : 'create-db-instance';
  return { flow, parameters: size };
};

/** Nothing but instances that can be made: if a task fails, something else has failed it. */
export const possibleInstance: NextOrder = (random) => ({
  flow: 'create-db-instance',
  parameters: { cpu: random.between(1, 8), memory: random.between(1, 64), storage: 10 },
});

/** Whether a task of these parameters can succeed at all. */
export function canSucceed(order: ReturnType<NextOrder>): boolean {
  return order.flow !== FAILS_LAST && order.parameters['cpu'] !== TOO_MUCH;
}
