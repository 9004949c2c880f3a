import type { JsonObject, JsonValue } from '#core';

/** A value that stands for one of the tasks or claims that were made before. */
export const MADE_BEFORE = /^(task|claim):(\d+)$/;

/** A query value that stands for the cursor that the last page gave. */
export const LAST_CURSOR = 'cursor:last';

/** Keys that few requests share: most requests with a used key are refused. */
const FRESH_KEYS = Array.from({ length: 200 }, (_, number) => `key-${number}`);

/** Values that lead somewhere, by the name of a parameter or member. */
export const SAMPLES: Readonly<Record<string, readonly string[]>> = {
  flow: ['quick', 'undone', 'stuck', 'held', 'typed'],
  name: ['quick', 'stuck', 'none', 'put-1', 'put-1', 'put-2'],
  module: ['lab', 'lab', 'none'],
  command: ['succeed', 'flaky'],
  version: ['1', '2'],
  // Whole tasks are not searched for a text.
  q: [
    'flow:q*,stuck',
    'status:failed,live',
    'label.team:db',
    'age:<1h status:4',
    'waits:person',
    'operator:api client:127.0.0.1 batch:b1',
    '',
  ],
  label: ['tier=gold', 'none=', 'a=b=c'],
  by: ['status', 'flow', 'label.team'],
  limit: ['1', '2', '200'],
  age: ['0s', '10m'],
  full: ['true', 'false'],
  step: ['a', 'a', 'a', 'b'],
  run: ['a', 'a', 'b'],
  children: ['failed', 'all', '01a205c9-1dea-7597-85ee-8989a2ad1330'],
  // A step to go back to, or a version to compare with.
  to: ['a', 'a', 'a', 'b', '1'],
  only: ['a', 'a', 'b'],
  code: ['QUOTA', 'NO_HOST'],
  parent: ['none', '01a205c9-1dea-7597-85ee-8989a2ad1330'],
  idPrefix: ['01a205c9', '01a205c9-1dea', 'ffffffff'],
  status: ['succeeded', '0', 'running,rolled_back', '5, 6', 'rollback_failed'],
  wait: ['0ms', '5ms', '20ms', '0'],
  createdAfter: ['1700000000', '2020-01-31', '2020-01-31T08:00:00Z', '2020-01-31T08:00:00+01:00'],
  createdBefore: ['1700000000', '4000000000', '2090-01-31T08:00:00.5Z'],
  cursor: [LAST_CURSOR],
  // Nobody hands work out to them: their modules are in no flow.
  worker: ['fuzz:1', 'fuzz:2'],
  lease: ['10s', '1m'],
  after: ['5s', '0'],
  timeout: ['1m', '5s'],
  taskId: Array.from({ length: 7 }, (_, place) => `task:${place}`),
  claim: Array.from({ length: 7 }, (_, place) => `claim:${place}`),
  'Idempotency-Key': ['k1', '"k2"', 'é', ...FRESH_KEYS],
  'If-Match': ['"1"', '*', '*', '*', 'W/"7"', '"2"'],
  'If-None-Match': ['"1"', '*', '"1", "2"'],
  'Last-Event-ID': ['0', '3', '99', ''],
  lastEventId: ['0', '3', '99'],
  // None of these times comes while tests run: a schedule would start tasks between requests.
  cron: ['0 0 29 2 *', '30 0 0 29 2 *', 'x'],
  every: ['8000h', '8760h', '9000h'],
  at: ['2090-01-31T08:00:00Z', '2090-01-31', '2020-01-31'],
  throttle: ['10m', '0', '8d'],
  timezone: ['UTC', 'Europe/Berlin', 'Nowhere'],
  next: ['1', '5', '100'],
  returnTo: ['/console/', '/console/tasks?q=flow%3Aquick'],
  traceparent: ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 'none'],
  idempotencyKey: ['k1', '👩‍🚀', ...FRESH_KEYS],
};

/** Samples of the requests about one kind of things, instead of those for all requests. */
export const SAMPLES_OF: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  schedules: { name: ['put-1', 'put-1', 'none'] },
  notifications: { name: ['put-1', 'put-1', 'none'], cursor: ['1700000000000-first'] },
  commands: { module: ['lab'], command: ['flaky', 'flaky', 'succeed'] },
  // No flow has these modules: no task waits.
  limits: { module: ['fuzzed', 'fuzzed', 'none'] },
};

/** Bodies that the document has no schema of, by operation. */
export const WHOLE_BODIES: Readonly<Record<string, readonly JsonValue[]>> = {
  importTasks: ['{}', '{"archive":1,"task":{"plan":{}}}', '['].map((line) => ({ lines: [line] })),
  putFlow: ['succeed', 'flaky'].map((command) => [{ normal: { module: 'lab', command } }]),
  recordDrill: [
    { failures: 0, total: 33 },
    { failures: 2, total: 33 },
  ],
  planDraft: [
    { flow: [{ normal: { module: 'lab', command: 'succeed' } }], parameters: { size: 1 } },
    { flow: { steps: [{ wait: { for: '1s' } }, { fail: { code: 'NO', message: 'no' } }] } },
  ],
  putSchedule: [
    { flow: 'quick', every: '8000h' },
    { flow: 'quick', cron: '0 0 29 2 *', timezone: 'Europe/Berlin', paused: true },
    { flow: 'undone', at: '2090-01-31T08:00:00Z', overlap: 'queue' },
  ],
  // Of this machine, where nothing may be sent to.
  putNotification: [
    { on: ['failed'], channel: { type: 'webhook', url: 'http://127.0.0.1:9/in' } },
    { on: ['held', 'stuck'], throttle: '10m', channel: { type: 'slack', url: 'http://[::1]/in' } },
    { on: ['failed'], q: 'flow:quick', channel: { type: 'slack', url: 'http://10.0.0.1/in' } },
  ],
  putWorker: [
    { modules: { fuzzed: { make: { secrets: ['password'] }, drop: {} } }, slots: 4, host: 'h' },
    { modules: { fuzzed: {} }, slots: 1, build: 'b', sdk: 'fuzz 1' },
    { state: 'draining' },
    { state: 'active' },
  ],
  // They wait for nothing: no flow has their module.
  pollWork: [
    { worker: 'fuzz:1', module: 'fuzzed', wait: '0' },
    { worker: 'fuzz:2', modules: ['fuzzed'], wait: 5, max: 100, lease: '10m', build: 'b' },
    {
      worker: 'fuzz:1',
      module: 'fuzzed',
      wait: '1ms',
      lease: 10_000,
      commands: ['make'],
      directions: ['rollback'],
      pollId: '01a205c9-1dea-7597-85ee-8989a2ad1330',
    },
  ],
  renewWork: [
    { worker: 'fuzz:1', claims: [] },
    {
      worker: 'fuzz:1',
      claims: [{ claim: 'bsw_a.b', log: ['a'], progress: { percent: 4, state: 'a' } }],
    },
    {
      worker: 'fuzz:claims',
      claims: [
        { claim: 'claim:0', log: ['a'] },
        { claim: 'claim:1', progress: { percent: 4 } },
      ],
    },
  ],
  putLimits: [
    { maxConcurrency: 20 },
    { maxConcurrency: 1, ratePerSecond: 0.5 },
    { ratePerSecond: 1_000, fairBy: 'tenant' },
  ],
  putCommand: [
    { timeout: '30s', description: 'quick' },
    { retry: 1, rollback: { module: 'lab', command: 'succeed' } },
    {},
  ],
};

/** Makes a body sound whose schema does not say which of its members go together. */
export const MADE_SOUND: Readonly<Record<string, (body: JsonObject) => JsonObject>> = {
  // Without a wait it takes 20 s; work of the lab that it took would keep others waiting.
  pollWork: ({ module, modules = [module === undefined ? 'fuzzed' : 'none'], ...rest }) => {
    return { wait: '5ms', ...rest, modules };
  },
  putWorker: ({ state, ...rest }) => {
    return state === undefined ? { slots: 1, ...rest, modules: { fuzzed: {} } } : { state };
  },
};
