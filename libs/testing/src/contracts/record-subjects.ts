import type { FlowDefinition } from '#core';
import { isUnreadableEntry, placeIn, type RecordQuery, STORE_ID } from '#ports';
import type { AuditLog, DefinitionStore, FlowStore, LockStore, RecordStore } from '#ports';
import { sampleEntry } from './audit-log.js';
import { named, RECORD_SAMPLES, type RecordSamples } from './record-samples.js';
import { SAMPLE_TIME, sampleTask } from './sample-task.js';

/** The ports behind which records are. */
export interface RecordPorts {
  readonly audit: AuditLog;
  readonly definitions: DefinitionStore;
  readonly flows: FlowStore;
  readonly locks: LockStore;
  readonly records: RecordStore;
}

/** How records of one kind are stored, listed and read. */
export interface RecordSubject {
  readonly kind: string;
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

async function each(count: number, store: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < count; n += 1) await store(n);
}

function subjectOf({ kind, member, sample }: RecordSamples): RecordSubject {
  const queries = Object.entries(kind.indexes).map(([index, place]) => {
    return { index, of: placeIn(place, sample(0))?.of ?? [] };
  });
  const all: Omit<RecordQuery, 'limit'>[] = [{}, ...queries];
  return {
    kind: kind.name,
    member,
    idOf: (n) => kind.idOf(sample(n)),
    fill: ({ records }, count) => each(count, (n) => records.put(kind, sample(n), null)),
    lists: async ({ records }, limit) => {
      const lists = all.map(async (query) => {
        const found = await records.list(kind, { ...query, limit });
        const ids = found.map((record) => kind.idOf(record));
        // A store may keep its own id among secrets.
        return [query.index ?? 'all', ids.filter((id) => id !== STORE_ID)] as const;
      });
      return Object.fromEntries(await Promise.all(lists));
    },
    read: ({ records }, id) => records.get(kind, id),
  };
}

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
  ...RECORD_SAMPLES.map(subjectOf),
  FLOWS,
  ENTRIES,
  LOCKS,
];

function flowOf(n: number): FlowDefinition {
  const { steps } = sampleTask().plan;
  return { name: named(n), description: null, input: null, timeoutMs: null, steps };
}
