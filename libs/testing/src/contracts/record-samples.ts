import {
  COMMAND,
  DELIVERY,
  DRILL,
  FAULT,
  FLOW_SOURCE,
  KEY,
  NOTIFICATION,
  NOTIFICATION_KINDS,
  NOTIFICATION_POSITION,
  OPERATION,
  OUTPUT,
  PROGRESS,
  type RecordKind,
  SCHEDULE,
  SECRET,
  SERVED,
  STATISTICS,
} from '#ports';
import type {
  AttemptPlace,
  DeliveryRecord,
  KeyRecord,
  NotificationChannel,
  NotificationRecord,
  OperationRecord,
  ScheduleRecord,
  StatisticsRow,
} from '#ports';
import { LIMIT_SAMPLES } from './limit-samples.js';
import { SAMPLE_TIME } from './sample-task.js';

function sampleAttempt(n: number): AttemptPlace {
  return { taskId: 't', step: 'a b', run: named(n), direction: 'rollback', attempt: 3 };
}

/** A schedule that has everything, as it may be stored. */
export function sampleSchedule(name: string, more: Partial<ScheduleRecord> = {}): ScheduleRecord {
  return {
    name,
    id: `id of ${name}`,
    revision: 1,
    generation: 1,
    order: {
      flow: 'größe €@3',
      parameters: { $gt: { 'a.b': [1, null, 'x'] }, half: '\ud800' },
      labels: { team: 'db', 'a.$b': '' },
      priority: -3,
      timing: { cron: '30 2 * * *' },
      timezone: 'Europe/Berlin',
      overlap: 'queue',
      catchUp: 'all',
    },
    anchor: SAMPLE_TIME,
    pause: { by: 'ann', reason: null, since: SAMPLE_TIME },
    createdAt: SAMPLE_TIME,
    updatedAt: SAMPLE_TIME + 1,
    updatedBy: 'ann',
    nextAt: SAMPLE_TIME + 60_000,
    waiting: [SAMPLE_TIME - 2, SAMPLE_TIME - 1],
    starting: { moment: SAMPLE_TIME, taskId: 'task-1' },
    dueAt: SAMPLE_TIME + 60_000,
    lastRun: { moment: null, taskId: 'task-0', at: SAMPLE_TIME },
    running: ['task-0', 'task-2'],
    lastSkipped: { moment: SAMPLE_TIME, at: SAMPLE_TIME, reason: 'overlap' },
    lastError: {
      moment: SAMPLE_TIME,
      at: SAMPLE_TIME,
      code: 'FLOW_NOT_FOUND',
      message: 'there is no flow',
      isRetried: false,
    },
    counts: { started: 1, skipped: 2, failed: 3 },
    ...more,
  };
}

/** A rule that has everything, as it may be stored. */
export function sampleNotification(
  name: string,
  more: Partial<NotificationRecord> = {},
): NotificationRecord {
  return {
    name,
    id: `id of ${name}`,
    revision: 1,
    generation: 1,
    order: {
      on: ['failed', 'backlog'],
      q: 'flow:gr\u00f6\u00dfe text:"$x \ud800"',
      channel: { type: 'webhook', url: 'https://example.org/$a', secret: 'v1.x' },
      throttleMs: 60_000,
    },
    scope: { flows: ['a-*'], labels: { 'a.$b': '' } },
    since: 7,
    createdAt: SAMPLE_TIME,
    updatedAt: SAMPLE_TIME + 1,
    updatedBy: 'ann',
    quietUntil: 0,
    ...more,
  };
}

/** A message, as it may be stored. */
export function sampleDelivery(id: string, more: Partial<DeliveryRecord> = {}): DeliveryRecord {
  return {
    id,
    revision: 1,
    rule: 'on-call',
    ruleId: 'id of on-call',
    kind: 'failed',
    subject: 'task-1',
    episode: 1,
    key: '',
    mark: 3,
    phase: 'firing',
    of: null,
    isOpen: true,
    message: 'no host \ud800',
    flow: 'gr\u00f6\u00dfe',
    state: 'pending',
    counted: 0,
    isCarrier: false,
    attempts: 0,
    lastError: null,
    createdAt: SAMPLE_TIME,
    deliveredAt: null,
    dueAt: SAMPLE_TIME,
    ...more,
  };
}

/** All that an operation may have. */
const FULL: Partial<OperationRecord> = {
  order: {
    action: 'reset',
    q: 'label.a:"é \\" $x"',
    reason: 'a\u0000b \ud800',
    details: { to: 'b', parameters: { 'a.b': [1, null], $x: { __proto: true } } },
    ratePerSecond: 0.5,
    isDryRun: true,
  },
  requester: {
    actor: 'ann',
    name: 'key of ann',
    keyId: 'k',
    role: 'operator',
    flows: ['create-*'],
    labels: { 'a.b': '$x' },
    modules: ['m'],
  },
  task: { flow: 'create-x', labels: { 'a.b': '$x' }, revision: 7 },
  consent: {
    rule: 'reset on * needs two',
    expiresAt: 9_000,
    decision: { actor: 'ben', keyId: 'k2', isApproved: true, comment: null, at: 5_000 },
  },
  requestHash: 'ab',
  counts: [{ code: 'ILLEGAL_ACTION', count: 3 }],
  examples: [{ taskId: 't', outcome: 'refused', code: 'ILLEGAL_ACTION', message: 'no' }],
  sample: ['t-1', 't-2'],
  progress: { page: ['t-3'], cursor: 'behind', isLast: false },
  cancel: { actor: 'ben', reason: null, at: 2_000 },
  runner: 'gateway-1',
};

/** An operation that was asked for and runs. */
export function sampleOperation(
  operationId: string,
  more: Partial<OperationRecord> = {},
): OperationRecord {
  return {
    operationId,
    revision: 1,
    order: {
      action: 'retry',
      q: 'status:live',
      reason: 'again',
      details: {},
      ratePerSecond: 100,
      isDryRun: false,
    },
    requester: {
      actor: 'api',
      name: 'api',
      keyId: null,
      role: 'admin',
      flows: null,
      labels: null,
      modules: null,
    },
    requestHash: null,
    createdAt: 1_000,
    endedAt: null,
    status: 'running',
    matched: 3,
    isCounted: true,
    done: 0,
    refused: 0,
    failed: 0,
    counts: [],
    examples: [],
    sample: [],
    progress: { page: [], cursor: null, isLast: false },
    cancel: null,
    runner: null,
    dueAt: 1_000,
    ...more,
  };
}

/** A key, as it may be stored. */
function sampleKey(id: string, more: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    hash: 'ab'.repeat(32),
    name: `key ${id}`,
    role: 'viewer',
    flows: null,
    labels: null,
    modules: null,
    createdAt: 1_000,
    expiresAt: null,
    usedAt: null,
    ...more,
  };
}

const HOUR_MS = 3_600_000;

/** The hour in which samples begin. */
const HOUR = Math.floor(SAMPLE_TIME / HOUR_MS) * HOUR_MS;

/** A row of statistics of a test. */
export function sampleStatistics(owner: string, over: Partial<StatisticsRow> = {}): StatisticsRow {
  const duration = { count: 3, sumMs: 6_010, maxMs: 6_000, buckets: { 5: 2, 26: 1 } };
  const counts = { succeeded: 2, failed: 1, cancelled: 0, retries: 4 };
  return {
    flow: 'a',
    span: 'hour',
    start: HOUR,
    owner,
    started: 4,
    ended: { succeeded: 2, rolled_back: 1 },
    rollbackFailed: 0,
    duration,
    steps: [
      { step: 'g/x', direction: 'normal', ...counts, duration, errors: { NO_HOST: 5 } },
      { step: '*', direction: 'rollback', ...counts, duration, errors: { '*': 1 } },
    ],
    ...over,
  };
}

/** Records of a kind, of which the first is the first in every list. */
export interface RecordSamples<T = unknown> {
  readonly kind: RecordKind<T>;
  /** A member that all have, and that is neither a list nor an object. */
  readonly member: string;
  /** The n-th record. */
  sample(n: number): T;
  /** Further ones, with whatever else a record of this kind may have. */
  readonly more?: readonly T[];
}

/** The name of the n-th record. */
export function named(n: number): string {
  return `record-${String(n).padStart(3, '0')}`;
}

const CHANNELS: readonly NotificationChannel[] = [
  { type: 'webhook', url: 'https://example.org' },
  { type: 'slack', url: 'https://example.org' },
  { type: 'pagerduty', routingKey: 'v1.x', url: 'https://example.org' },
  { type: 'email', server: 'smtp://example.org', from: 'a@example.org', to: ['b@example.org'] },
];

const BARE_SCHEDULE = {
  pause: null,
  nextAt: null,
  waiting: [],
  starting: null,
  dueAt: null,
  lastRun: null,
  lastSkipped: null,
  lastError: null,
};

/** Samples of every kind. */
export const RECORD_SAMPLES: readonly RecordSamples[] = [
  samplesOf({
    kind: SCHEDULE,
    member: 'updatedBy',
    sample: (n) => sampleSchedule(named(n), { dueAt: SAMPLE_TIME + n, nextAt: null }),
    more: [sampleSchedule('full'), sampleSchedule('bare', BARE_SCHEDULE)],
  }),
  samplesOf({
    kind: NOTIFICATION,
    member: 'updatedBy',
    sample: (n) => sampleNotification(named(n)),
    more: CHANNELS.map((channel) => {
      const order = { on: NOTIFICATION_KINDS, q: null, channel, throttleMs: 0 };
      return sampleNotification(channel.type, { order });
    }),
  }),
  samplesOf({
    kind: DELIVERY,
    member: 'message',
    sample: (n) => sampleDelivery(named(n), { dueAt: SAMPLE_TIME + n, createdAt: SAMPLE_TIME + n }),
  }),
  samplesOf({
    kind: OPERATION,
    member: 'status',
    sample: (n) => {
      const at = SAMPLE_TIME + n;
      return sampleOperation(named(n), { createdAt: at, dueAt: at, endedAt: at });
    },
    more: [sampleOperation('full', FULL)],
  }),
  samplesOf({
    kind: KEY,
    member: 'role',
    sample: (n) => sampleKey(named(n), { createdAt: SAMPLE_TIME + n }),
    more: [
      sampleKey('full', {
        ...{ flows: ['create-*'], modules: ['m'], expiresAt: 99, usedAt: 7, madeBy: 'ann' },
        labels: { 'a.b': '$x', __proto: 'é "=" %' },
      }),
    ],
  }),
  samplesOf({
    kind: DRILL,
    member: 'total',
    sample: (n) => ({ flow: 'a "é\'', version: 100 + n, at: n, failures: 0, total: 32 }),
  }),
  samplesOf({
    kind: FLOW_SOURCE,
    member: 'text',
    sample: (n) => ({ flow: named(n), version: 1, text: '[] // \u0000 é "\'\r\n$x' }),
  }),
  samplesOf({
    kind: STATISTICS,
    member: 'started',
    sample: (n) => sampleStatistics(named(n), { start: SAMPLE_TIME + n }),
  }),
  samplesOf({
    kind: COMMAND,
    member: 'updatedAt',
    sample: (n) => {
      const defaults = { timeout: n, 'a.$b': null };
      return { module: 'm', command: named(n), updatedAt: SAMPLE_TIME, defaults };
    },
  }),
  samplesOf({
    kind: SERVED,
    member: 'commands',
    sample: (n) => {
      const secrets = { 'a.$b': ['key'] };
      return { module: named(n), commands: ['a.$b', '*'], secrets, seenAt: SAMPLE_TIME };
    },
  }),
  samplesOf({
    kind: OUTPUT,
    member: 'lines',
    sample: (n) => {
      const at = SAMPLE_TIME + n;
      const line = { number: 1, at, level: null, message: '\ta.$b größe' };
      const moments = { since: at, changedAt: at };
      return { ...sampleAttempt(n), part: 0, revision: 1, ...moments, size: 15, lines: [line] };
    },
  }),
  samplesOf({
    kind: PROGRESS,
    member: 'percent',
    sample: (n) => {
      const told = { state: 'a.b_c-1', percent: 12.5, message: null };
      return { ...sampleAttempt(n), at: SAMPLE_TIME + n, ...told };
    },
  }),
  samplesOf({
    kind: FAULT,
    member: 'delayMs',
    sample: (n) => ({ flow: 'f', step: named(n), kind: 'slow', delayMs: 5 }),
  }),
  ...LIMIT_SAMPLES,
  samplesOf({ kind: SECRET, member: 'text', sample: (n) => ({ name: named(n), text: 'größe' }) }),
  samplesOf({
    kind: NOTIFICATION_POSITION,
    member: 'position',
    sample: (n) => ({ of: named(n), position: n }),
  }),
];

function samplesOf<T>(samples: RecordSamples<T>): RecordSamples {
  return samples;
}
