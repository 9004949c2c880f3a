import type { FlowDefinition } from '#core';
import type {
  AuditLog,
  DefinitionStore,
  DeliveryStore,
  DrillStore,
  FlowStore,
  KeyStore,
  LockStore,
  NotificationStore,
  OperationStore,
  RecordKind,
  ScheduleStore,
  StatisticsRow,
  StatisticsStore,
} from '#ports';
import { isUnreadableEntry, statisticsId } from '#ports';
import { sampleEntry } from './audit-log.js';
import { sampleKey } from './key-store.js';
import { sampleOperation } from './operation-store.js';
import { SAMPLE_TIME, sampleTask } from './sample-task.js';
import { sampleDrill } from './store-drills.js';
import { sampleDelivery, sampleNotification } from './store-notifications.js';
import { sampleSchedule } from './store-schedules.js';
import { sampleStatistics } from './store-statistics.js';

/** The ports behind which records are. */
export interface RecordPorts {
  readonly audit: AuditLog;
  readonly definitions: DefinitionStore;
  readonly deliveries: DeliveryStore;
  readonly drills: DrillStore;
  readonly flows: FlowStore;
  readonly keys: KeyStore;
  readonly locks: LockStore;
  readonly notifications: NotificationStore;
  readonly operations: OperationStore;
  readonly schedules: ScheduleStore;
  readonly statistics: StatisticsStore;
}

/** How records of one kind are stored, listed and read. */
export interface RecordSubject {
  readonly kind: RecordKind;
  /** A member that every one has, and that is neither a list nor an object. */
  readonly member: string;
  /** The id of the n-th record, the first of which is the first in every order. */
  readonly idOf: (n: number) => string;
  /** Stores so many records. */
  readonly fill: (ports: RecordPorts, count: number) => Promise<void>;
  /** Ids that each list and each loop gives, at most so many. */
  readonly lists: (
    ports: RecordPorts,
    limit: number,
  ) => Promise<Readonly<Record<string, readonly string[]>>>;
  /** Absent: there is no read of one alone. */
  readonly read?: (ports: RecordPorts, id: string) => Promise<unknown>;
}

const LATER = SAMPLE_TIME + 1_000_000;

function named(n: number): string {
  return `record-${String(n).padStart(3, '0')}`;
}

async function each(count: number, store: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n += 1) await store(n);
}

const SCHEDULES: RecordSubject = {
  kind: 'schedule',
  member: 'updatedBy',
  idOf: named,
  fill: ({ schedules }, count) =>
    each(count, (n) =>
      schedules.save(sampleSchedule(named(n), { dueAt: SAMPLE_TIME + n, nextAt: null }), null),
    ),
  lists: async ({ schedules }, limit) => ({
    due: (await schedules.findDue(LATER, limit)).map(({ name }) => name),
    all: (await schedules.list({ limit })).map(({ name }) => name),
  }),
  read: ({ schedules }, id) => schedules.find(id),
};

const NOTIFICATIONS: RecordSubject = {
  kind: 'notification',
  member: 'updatedBy',
  idOf: named,
  fill: ({ notifications }, count) =>
    each(count, (n) => notifications.save(sampleNotification(named(n)), null)),
  lists: async ({ notifications }, limit) => ({
    all: (await notifications.list({ limit })).map(({ name }) => name),
  }),
  read: ({ notifications }, id) => notifications.find(id),
};

const DELIVERIES: RecordSubject = {
  kind: 'delivery',
  member: 'message',
  idOf: named,
  fill: ({ deliveries }, count) =>
    each(count, (n) =>
      deliveries.add(
        sampleDelivery(named(n), { dueAt: SAMPLE_TIME + n, createdAt: SAMPLE_TIME - n }),
      ),
    ),
  lists: async ({ deliveries }, limit) => {
    const { rule, ruleId, subject } = sampleDelivery('');
    const ids = (found: readonly { readonly id: string }[]): readonly string[] =>
      found.map(({ id }) => id);
    return {
      due: ids(await deliveries.findDue(LATER, limit)),
      ofRule: ids(await deliveries.list({ rule, limit })),
      open: ids(await deliveries.findOpen([subject]))
        .toSorted()
        .slice(0, limit),
      about: ids(await deliveries.about(ruleId, subject)).slice(0, limit),
    };
  },
  read: ({ deliveries }, id) => deliveries.find(id),
};

const OPERATIONS: RecordSubject = {
  kind: 'operation',
  member: 'status',
  idOf: named,
  fill: ({ operations }, count) =>
    each(count, (n) =>
      operations.addOperation(
        sampleOperation(named(n), { createdAt: SAMPLE_TIME - n, dueAt: SAMPLE_TIME + n }),
      ),
    ),
  lists: async ({ operations }, limit) => ({
    due: (await operations.findDueOperations(LATER, limit)).map(({ operationId: id }) => id),
    all: (await operations.listOperations({ limit })).map(({ operationId: id }) => id),
  }),
  read: ({ operations }, id) => operations.findOperation(id),
};

const FLOWS: RecordSubject = {
  kind: 'flow',
  member: 'timeoutMs',
  idOf: (n) => `${named(n)}@1`,
  fill: ({ flows }, count) => each(count, (n) => flows.saveFlow(flowOf(n), `h${n}`, SAMPLE_TIME)),
  lists: async ({ flows }, limit) => {
    const found = await flows.listFlows();
    const ids = found.map(({ definition, version }) => `${definition.name}@${version}`);
    return { all: ids.slice(0, limit) };
  },
  read: ({ flows }, id) => flows.getFlow(id.split('@')[0]!, 1),
};

const COMMANDS: RecordSubject = {
  kind: 'command',
  member: 'defaults',
  idOf: (n) => JSON.stringify(['m', named(n)]),
  fill: ({ definitions }, count) =>
    each(count, (n) =>
      definitions.putCommand({
        module: 'm',
        command: named(n),
        updatedAt: SAMPLE_TIME,
        defaults: { timeout: n },
      }),
    ),
  lists: async ({ definitions }, limit) => {
    const found = await definitions.listCommands();
    const ids = found.map(({ command, module }) => JSON.stringify([module, command]));
    return { all: ids.slice(0, limit) };
  },
};

const DRILLS: RecordSubject = {
  kind: 'drill',
  member: 'total',
  idOf: (n) => `${named(n)}@1`,
  fill: ({ drills }, count) => each(count, (n) => drills.putDrill(sampleDrill(named(n), 1))),
  lists: async ({ drills }, limit) => {
    const found = await drills.listDrills();
    return { all: found.map(({ flow, version }) => `${flow}@${version}`).slice(0, limit) };
  },
};

const STATISTICS: RecordSubject = {
  kind: 'statistics',
  member: 'started',
  idOf: (n) => statisticsId(statisticsOf(n)),
  fill: ({ statistics }, count) =>
    statistics.putStatistics(Array.from({ length: count }, (_, n) => statisticsOf(n))),
  lists: async ({ statistics }, limit) => {
    const query = { flow: 'a', span: 'hour', from: 0, limit: 1_000 } as const;
    const ids = (await statistics.findStatistics(query)).map(statisticsId);
    return { all: ids.slice(0, limit) };
  },
};

const KEYS: RecordSubject = {
  kind: 'key',
  member: 'role',
  idOf: named,
  fill: ({ keys }, count) =>
    each(count, (n) => keys.addKey(sampleKey(named(n), { createdAt: SAMPLE_TIME + n }))),
  lists: async ({ keys }, limit) => ({
    all: (await keys.listKeys()).map(({ id }) => id).slice(0, limit),
  }),
  read: ({ keys }, id) => keys.findKey(id),
};

const ENTRIES: RecordSubject = {
  kind: 'audit_entry',
  member: 'actor',
  idOf: (n) => `${n + 1}`,
  fill: async ({ audit }, count) => {
    await audit.appendEntries(Array.from({ length: count }, (_, n) => sampleEntry(n + 1)));
  },
  lists: async ({ audit }, limit) => {
    const found = await audit.readEntries({ first: 'oldest', limit: 1_000 });
    const readable = found.filter((entry) => !isUnreadableEntry(entry));
    return { all: readable.map(({ seq }) => `${seq}`).slice(0, limit) };
  },
};

const LOCKS: RecordSubject = {
  kind: 'lock',
  member: 'slots',
  idOf: named,
  fill: ({ locks }, count) =>
    each(count, (n) =>
      locks.enter({ name: named(n), taskId: 't', number: 1, slots: 1, since: SAMPLE_TIME }),
    ),
  lists: async ({ locks }, limit) => ({
    all: (await locks.listLines({ limit })).map(({ name }) => name),
  }),
  read: ({ locks }, id) => locks.readLine(id),
};

/** Every kind of record that a store keeps besides tasks. */
export const RECORD_SUBJECTS: readonly RecordSubject[] = [
  SCHEDULES,
  NOTIFICATIONS,
  DELIVERIES,
  OPERATIONS,
  FLOWS,
  COMMANDS,
  DRILLS,
  STATISTICS,
  KEYS,
  ENTRIES,
  LOCKS,
];

function statisticsOf(n: number): StatisticsRow {
  return sampleStatistics(named(n), { start: SAMPLE_TIME - n });
}

function flowOf(n: number): FlowDefinition {
  const { steps } = sampleTask().plan;
  return { name: named(n), description: null, input: null, timeoutMs: null, steps };
}
