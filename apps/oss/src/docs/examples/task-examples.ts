/** The task that most examples are about. */
export const TASK_ID = '01a21f05-e8a6-76e4-87d6-b6a9e8d4ca82';

/** A pair of actions, with all that a flow has by default. */
export const RESERVE = {
  normal: {
    module: 'lab',
    command: 'effect',
    timeout: 300,
    retry: 0,
    onCrash: { restarts: 3 },
    parameters: { name: 'volume' },
  },
  rollback: {
    module: 'lab',
    command: 'undo_effect',
    timeout: 300,
    retry: 0,
    onCrash: { restarts: 10 },
    parameters: { name: 'volume' },
  },
};

/** The receipt of a task, as later examples have it. */
const receipt = {
  taskId: TASK_ID,
  flow: 'create-volume',
  flowVersion: 2,
  taskStatus: 0,
  status: 'succeeded',
  timeCreate: 1795816810,
};

const summary = {
  ...receipt,
  taskMessage: null,
  taskCursor: 0,
  timeStart: 1795816810,
  timeEnd: 1795816810,
  labels: { team: 'payments' },
  priority: 0,
  revision: 2,
  wakeAt: null,
  parent: null,
  origin: { requestId: 'order-4711', client: '10.0.0.7', operator: 'shop' },
  approvals: [],
  awaits: null,
};

const reason = 'Ticket 4711: not needed.';

const order = { flow: 'create-volume', parameters: { size: 10 }, labels: { team: 'payments' } };

const estimate = {
  direction: 'back',
  message:
    'How long it takes is not known: fewer than 3 tasks of the flow have been rolled back unaided.',
  p50: null,
  p95: null,
  tasks: 0,
  flowVersion: 2,
  unknown: ['reserve'],
  uncounted: [],
  deadline: null,
};

const undone = {
  taskId: TASK_ID,
  step: 'reserve',
  id: 'reserve',
  module: 'lab',
  command: 'undo_effect',
  served: true,
  parameters: { size: 10, name: 'volume' },
  unresolved: null,
};

const task = {
  ...summary,
  input: { size: 10 },
  parameters: { size: 10 },
  output: null,
  paused: null,
  hold: null,
  turned: null,
  lastError: null,
  restartOf: null,
  failureFlow: null,
  only: null,
  steps: [
    {
      name: 'reserve',
      kind: 'normal',
      needs: [],
      id: 'reserve',
      generation: 1,
      state: 'succeeded',
      code: 0,
      message: null,
      timeStart: 1795816810,
      timeEnd: 1795816810,
      attempts: 1,
      output: null,
      normal: RESERVE.normal,
      rollback: {
        ...RESERVE.rollback,
        state: 'none',
        code: 0,
        message: null,
        timeStart: null,
        timeEnd: null,
        attempts: 0,
      },
    },
  ],
};

/** Examples of bodies and answers about tasks, by the name of the schema. */
export const TASK_EXAMPLES = {
  CreateTask: order,
  Batch: { tasks: [order, { flow: 'no-such-flow' }] },
  Reason: { reason },
  Rollback: { reason, to: 'reserve' },
  Retry: { reason: 'There is room again.', parameters: { size: 5 } },
  Skip: { step: 'reserve', reason: 'Done by hand.' },
  Reset: { to: 'reserve', reason: 'The volume is damaged.' },
  Restart: { reason: 'Once more, larger.', parameters: { size: 20 } },
  Signal: { name: 'ready', payload: { address: '10.0.0.7' }, key: 'message-17' },
  Judge: { step: 'release', comment: 'Checked with the team.' },
  Complete: { token: 'a token that the command was given', output: { address: '10.0.0.7' } },
  CreatedTask: { ...receipt, taskStatus: 2, status: 'running' },
  TaskReceipt: { ...receipt, taskStatus: 2, status: 'running' },
  Task: task,
  Completed: { taskId: receipt.taskId, step: 'reserve', state: 'succeeded' },
  TaskPage: { items: [summary], page: { nextCursor: null } },
  Changes: { items: [summary], lastEventId: '2' },
  Events: {
    items: [
      { seq: 1, at: '2026-11-27T22:00:10.674Z', kind: 'created', actor: 'ada' },
      {
        seq: 2,
        at: '2026-11-27T22:00:10.674Z',
        kind: 'started',
        step: 'reserve',
        direction: 'normal',
        attempt: 1,
        actor: 'standalone-7c0d4e11',
      },
      {
        seq: 3,
        at: '2026-11-27T22:00:10.712Z',
        kind: 'succeeded',
        step: 'reserve',
        direction: 'normal',
        attempt: 1,
        actor: 'backstep',
      },
      { seq: 4, at: '2026-11-27T22:00:10.712Z', kind: 'task_succeeded', actor: 'backstep' },
    ],
  },
  BatchResults: {
    results: [
      { index: 0, status: 201, taskId: '01a21f05-eec0-7240-9330-e1475110fcfe' },
      {
        index: 1,
        status: 404,
        problem: {
          type: '/docs/errors#FLOW_NOT_FOUND',
          title: 'There is no such flow',
          status: 404,
          detail: 'There is no flow `no-such-flow` that can be started.',
          instance: '/v1/tasks:batch',
          code: 'FLOW_NOT_FOUND',
          errors: [
            {
              pointer: '/tasks/1/flow',
              message: 'There is no flow `no-such-flow` that can be started.',
              hint: '`GET /v1/flows` and `backstep flow list` list the flows.',
            },
          ],
        },
      },
    ],
  },
  TaskGraph: {
    nodes: [
      {
        id: 'reserve',
        name: 'reserve',
        kind: 'normal',
        state: 'succeeded',
        in: null,
        action: { module: 'lab', command: 'effect' },
        undo: { state: 'none', action: { module: 'lab', command: 'undo_effect' } },
        pivot: false,
        generation: 1,
        attempts: 1,
        timeStart: 1795816810,
        timeEnd: 1795816810,
        children: null,
      },
    ],
    edges: [],
  },
  Provenance: { size: [{ value: 10, writer: { kind: 'request' }, at: 1795816810 }] },
  TaskCounts: { by: 'status', total: 2, counts: { succeeded: 2 }, isComplete: true },
  Explanation: {
    moving: false,
    causes: [
      {
        code: 'ENDED',
        message: 'The task has ended: succeeded.',
        since: '2026-11-27T22:00:10.712Z',
        evidence: { status: 'succeeded', message: null },
        next: [
          { action: 'restart', label: 'Start a new task with the same parameters' },
          { action: 'reset', label: 'Undo down to a step, and run forward again from it' },
          { action: 'undo', label: 'Undo everything that the task did' },
        ],
      },
    ],
    isCut: false,
    standsStill: true,
    estimate: null,
  },
  RollbackPlan: {
    items: [undone],
    pivot: null,
    leftOver: [],
    obstacle: null,
    to: null,
    isCut: false,
    estimate: estimate,
  },
  Preview: {
    action: 'undo',
    revision: 12,
    status: { before: 'succeeded', after: 'rolling_back' },
    calledOff: [],
    starts: [
      {
        taskId: TASK_ID,
        step: 'reserve',
        id: 'reserve',
        direction: 'rollback',
        module: 'lab',
        command: 'undo_effect',
      },
    ],
    undoes: [undone],
    leftOver: [],
    obstacle: null,
    isCut: false,
    estimate: estimate,
  },
};
