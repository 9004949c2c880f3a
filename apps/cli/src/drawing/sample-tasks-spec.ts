import type { RunView, StepView, TaskView } from './task-view.js';

const START = 1_700_000_000_000;
const NO_ROOM =
  'no host has room for 4 cores, 8 GiB memory and 500 GiB storage: not enough cpu (most free: 0)';

/** How one half of a step is doing; times in milliseconds after the task's start. */
function run(
  state: string,
  [from, to]: readonly [from?: number, to?: number] = [],
  more: Partial<RunView> = {},
): RunView {
  return {
    state,
    attempts: from === undefined ? 0 : 1,
    message: null,
    startedAt: from === undefined ? null : START + from,
    endedAt: to === undefined ? null : START + to,
    ...more,
  };
}

/** A step of module `lab`, named after its place in the flow. */
function step(name: string, needs: readonly string[], more: Partial<StepView>): StepView {
  const normal = { ...run('pending'), action: `lab.${name}` };
  return { name, id: name, needs, normal, rollback: null, scopes: [], ...more };
}

const base = { taskId: 'task-1', startedAt: START } as const;

/** A chain that failed in its last step and went all the way back. */
export const rolledBack: TaskView = {
  ...base,
  flow: 'create-db-instance',
  status: 'rolled_back',
  message: `step deduct_resource (resource.deduct_resource) failed: ${NO_ROOM}`,
  endedAt: START + 1_560,
  steps: [
    {
      name: 'check_resource',
      id: 'check_resource',
      scopes: [],
      needs: [],
      normal: { ...run('succeeded', [0, 8]), action: 'resource.check_resource' },
      rollback: { ...run('succeeded', [1_550, 1_560]), action: 'monitor.report_event' },
    },
    {
      name: 'init_instance',
      id: 'init_instance',
      scopes: [],
      needs: ['check_resource'],
      normal: { ...run('succeeded', [8, 1_400]), action: 'mysql.init_instance' },
      rollback: { ...run('succeeded', [1_500, 1_550]), action: 'mysql.clean_instance' },
    },
    {
      name: 'deduct_resource',
      id: 'deduct_resource',
      scopes: [],
      needs: ['init_instance'],
      normal: {
        ...run('failed', [1_400, 1_440], { attempts: 3, message: NO_ROOM }),
        action: 'resource.deduct_resource',
      },
      rollback: { ...run('succeeded', [1_440, 1_500]), action: 'resource.restore_resource' },
    },
  ],
};

const undo = (state: string, times?: readonly [number?, number?]): StepView['rollback'] => ({
  ...run(state, times),
  action: 'lab.undo',
});

/** Three steps side by side, one of which failed; the task is on its way back. */
export const fan: TaskView = {
  ...base,
  flow: 'fan',
  status: 'rolling_back',
  message: 'step b failed',
  endedAt: null,
  steps: [
    step('first', [], {
      normal: { ...run('succeeded', [0, 10]), action: 'lab.first' },
      rollback: undo('pending'),
    }),
    step('a', ['first'], {
      normal: { ...run('succeeded', [10, 30]), action: 'lab.a' },
      rollback: undo('running', [50]),
    }),
    step('b', ['first'], {
      normal: { ...run('failed', [10, 40], { message: 'broken\n\u001b[2J' }), action: 'lab.b' },
      rollback: undo('succeeded', [40, 50]),
    }),
    step('c', ['first'], { normal: { ...run('timed_out', [10, 45]), action: 'lab.c' } }),
    step('join', ['a', 'b', 'c'], {}),
    step('late', ['a', 'join'], { rollback: undo('none') }),
  ],
};

/** The moment at which the fan is drawn. */
export const NOW = START + 2_100;

/** A group in its second try, which holds another one beside a step; the first one went back. */
export const nested: TaskView = {
  ...base,
  flow: 'nested',
  status: 'running',
  message: null,
  endedAt: null,
  steps: [
    step('first', [], { normal: { ...run('succeeded', [0, 10]), action: 'lab.first' } }),
    step('g', ['first'], {
      normal: { ...run('running', [10], { attempts: 2 }), action: 'group, try 2' },
      rollback: { ...run('running'), action: 'try 2' },
      scopes: [
        {
          title: 'try 2',
          steps: [
            step('a', [], {
              normal: { ...run('succeeded', [20, 30]), action: 'lab.a' },
              rollback: undo('pending'),
            }),
            step('i', [], {
              normal: { ...run('failed', [20, 40]), action: 'group, try 1' },
              rollback: { ...run('succeeded'), action: 'try 1' },
              scopes: [
                {
                  title: 'try 1',
                  steps: [
                    step('b', [], {
                      normal: { ...run('failed', [20, 30]), action: 'lab.b' },
                      rollback: undo('succeeded', [30, 40]),
                    }),
                  ],
                },
              ],
            }),
          ],
        },
      ],
    }),
    step('last', ['g'], {}),
  ],
};

/** A loop in its second round. */
export const looped: TaskView = {
  ...base,
  flow: 'looped',
  status: 'running',
  message: null,
  endedAt: null,
  steps: [
    step('poll', [], {
      normal: { ...run('running', [0]), action: 'loop, round 2' },
      scopes: [
        {
          title: 'round 1',
          steps: [
            step('look', [], { normal: { ...run('succeeded', [0, 10]), action: 'lab.look' } }),
          ],
        },
        { title: 'round 2', steps: [step('look', [], {})] },
      ],
    }),
    step('last', ['poll'], {}),
  ],
};
