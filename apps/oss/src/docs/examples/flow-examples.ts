import { RESERVE } from './task-examples.js';

const written = {
  description: 'A volume, and its mount.',
  input: {
    type: 'object',
    required: ['size'],
    properties: { size: { type: 'integer', minimum: 1 } },
  },
  steps: [
    {
      name: 'reserve',
      normal: { module: 'lab', command: 'effect', parameters: { name: 'volume' } },
      rollback: { module: 'lab', command: 'undo_effect', parameters: { name: 'volume' } },
    },
  ],
};

const flow = {
  name: 'create-volume',
  version: 2,
  hash: '13f9816d7605f46b516d78cc5af6565f5f2e87635ad2079b8d81515c8767bc8a',
  timeCreate: 1795816810,
  description: 'A volume.',
  input: {
    type: 'object',
    required: ['size'],
    properties: { size: { type: 'integer', minimum: 1 } },
  },
  timeout: null,
  onFailure: 'rollback',
  steps: [{ name: 'reserve', needs: [], ...RESERVE }],
};

const drill = { version: 2, at: 1795816810, passed: true, failures: 0, total: 6 };

const defaults = { timeout: '2m', retry: 2, rollback: { module: 'lab', command: 'undo_effect' } };

const command = { module: 'lab', command: 'effect', ...defaults, timeUpdate: 1795816814 };

const ends = {
  started: 3,
  ended: { succeeded: 2, rolled_back: 1, terminated: 0 },
  rollbackFailed: 0,
  successRate: 0.667,
  duration: { p50: 0.4, p95: 1.2, max: 1.31 },
};

const statistics = {
  flow: 'create-volume',
  over: 'day',
  from: 1795734000,
  to: 1795820400,
  every: 3600,
  isComplete: true,
  ...ends,
  intervals: [{ at: 1795816800, ...ends }],
  steps: [
    {
      step: 'volume',
      direction: 'normal',
      succeeded: 2,
      failed: 1,
      cancelled: 0,
      retries: 2,
      failureRate: 0.333,
      duration: { p50: 0.2, p95: 1, max: 1.04 },
      errors: [{ code: 'NO_ROOM', count: 3 }],
    },
  ],
};

/** Examples of bodies and answers about flows and commands, by the name of the schema. */
export const FLOW_EXAMPLES = {
  FlowText: written,
  FlowFileText: { 'drop-volume': [{ normal: { module: 'lab', command: 'suceed' } }] },
  PlanFlow: { parameters: { size: 10 } },
  PlanDraft: { flow: [{ normal: { module: 'lab', command: 'succeed' } }] },
  RecordDrill: { failures: 0, total: 6 },
  Drill: drill,
  Flow: { ...flow, drill, file: null },
  StoredFlow: { ...flow, revived: false, warnings: [] },
  Flows: {
    items: [{ ...flow, drill, file: null, startable: true, obstacle: null, retired: false }],
    files: { problems: [] },
    page: { nextCursor: null },
  },
  FlowVersions: {
    items: [
      {
        version: 2,
        hash: '13f9816d7605f46b516d78cc5af6565f5f2e87635ad2079b8d81515c8767bc8a',
        timeCreate: 1795816810,
      },
      {
        version: 1,
        hash: '25ab2cf622d1b87abda18bf75d2b30087019d81d4cb6483b1fb84dae8c1dff2d',
        timeCreate: 1795816810,
      },
    ],
    page: { nextCursor: null },
  },
  FlowDiff: {
    flow: 'create-volume',
    from: 1,
    to: 2,
    added: [],
    removed: [],
    changed: [],
    members: [{ pointer: '/description', from: 'A volume, and its mount.', to: 'A volume.' }],
  },
  FlowPlan: {
    flow: 'create-volume',
    version: 2,
    items: [
      {
        step: 'reserve',
        id: 'reserve',
        kind: 'normal',
        module: 'lab',
        command: 'effect',
        parameters: { size: 10, name: 'volume' },
        back: ['reserve'],
      },
    ],
    back: ['reserve'],
    ends: 'succeeded',
    assumptions: [],
  },
  Validation: {
    valid: false,
    problems: [
      {
        type: '/docs/findings#UNKNOWN_COMMAND',
        pointer: '/drop-volume/0/normal/command',
        line: 1,
        column: 53,
        code: 'UNKNOWN_COMMAND',
        message: 'Module `lab` has no command `suceed`.',
        hint: 'Did you mean `succeed`?',
      },
    ],
    warnings: [],
  },
  CommandDefaults: defaults,
  Command: command,
  Commands: { items: [command], page: { nextCursor: null } },
  FlowStatistics: statistics,
};
