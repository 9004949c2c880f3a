import type { Collection } from 'mongodb';
import type { FlowDefinition, FlowVersion } from '#core';
import type { FlowStanding } from '#core/task';
import { checkFlow, type FlowStore, RecordUnreadable } from '#ports';
import { type RecordForm, type RecordReader, StoreUnavailable } from '#ports';
import { toDate, toMs } from './bson-values.js';
import { durable } from './connection.js';
import { unlessDuplicate } from './failure.js';
import { definitionToDocument, documentToDefinition } from './plan-document.js';
import type { DefinitionDocument } from './plan-document.js';
import type { ServerCalls } from './server-calls.js';

/** A version of a flow as stored. */
export interface FlowVersionDocument {
  /** `name@version`. */
  readonly _id: string;
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly createdAt: Date;
  /** Absent: a file's. */
  readonly standing?: FlowStanding | null;
  readonly definition: DefinitionDocument;
}

/** Attempts to get the next number while other processes take it. */
const RACES_MAX = 100;

/** The order in which the newest version comes first. */
export const NEWEST = { version: -1 } as const;

const FORM: RecordForm<FlowVersionDocument, FlowVersion> = {
  kind: 'flow',
  idOf: ({ _id }) => _id,
  decode: toVersion,
};

/** Keeps flow definitions. */
export class FlowVersions implements FlowStore {
  constructor(
    private readonly versions: Collection<FlowVersionDocument>,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  /** Repeated after an unknown outcome, it finds what it stored by the hash. */
  async saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    const { name } = definition;
    for (let race = 0; ; race += 1) {
      const newest = await this.newestOf(name);
      const same = newest?.hash === hash ? this.readable(newest) : null;
      if (newest !== null && same !== null) {
        await this.stand(newest, 'file');
        return same;
      }
      const version = (newest?.version ?? 0) + 1;
      const made = { definition, version, hash, createdAt: now };
      if (await this.add(made, 'file', race)) return made;
    }
  }

  /** The newest version as it is stored; null: there is none. */
  newestOf(name: string): Promise<FlowVersionDocument | null> {
    const read = (): Promise<FlowVersionDocument | null> =>
      this.versions.findOne({ name }, { sort: NEWEST });
    return this.calls.call('reading a flow', read);
  }

  /** The version that a document stands for; null: it cannot be read. */
  readable(document: FlowVersionDocument): FlowVersion | null {
    const version = this.records.attempt(document, FORM);
    return version instanceof RecordUnreadable ? null : version;
  }

  /**
   * Stores a version; false where its number was taken meanwhile. `race`: how often that has
   * happened already; throws `StoreUnavailable` once it is too often.
   */
  async add(flow: FlowVersion, standing: FlowStanding, race: number): Promise<boolean> {
    const { name } = flow.definition;
    if (race < RACES_MAX) return this.insert({ ...toDocument(flow), ...standingOf(standing) });
    throw new StoreUnavailable(`Flow ${name} is being changed by too many processes at once.`);
  }

  /** Changes where a version is from; writes nothing where it is so already. */
  async stand(
    { _id, standing: known }: FlowVersionDocument,
    standing: FlowStanding,
  ): Promise<void> {
    if ((known ?? 'file') === standing) return;
    const options = { writeConcern: durable(this.calls.settings.operationMs) };
    const write = (): Promise<unknown> =>
      this.versions.updateOne({ _id }, { $set: { standing } }, options);
    await this.calls.call('changing a flow', write);
  }

  async getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    const found = await (version === undefined
      ? this.newestOf(name)
      : this.calls.call('reading a flow', () =>
          this.versions.findOne({ _id: idOf(name, version) }),
        ));
    return this.records.found(found, idOf(name, version ?? 0), FORM);
  }

  async listFlows(): Promise<readonly FlowVersion[]> {
    const pipeline = [
      { $sort: { name: 1, ...NEWEST } },
      { $group: { _id: '$name', newest: { $first: '$$ROOT' } } },
    ];
    const read = (): Promise<{ newest: FlowVersionDocument }[]> =>
      this.versions.aggregate<{ newest: FlowVersionDocument }>(pipeline).toArray();
    const found = await this.calls.call('listing flows', read);
    const versions = this.records.all(
      found.map(({ newest }) => newest),
      FORM,
    );
    return versions.toSorted(byName);
  }

  /** False where the number was taken meanwhile. */
  private async insert(document: FlowVersionDocument): Promise<boolean> {
    const options = { writeConcern: durable(this.calls.settings.operationMs) };
    const write = (): Promise<boolean> =>
      this.versions.insertOne(document, options).then(() => true, unlessDuplicate);
    return this.calls.call('storing a flow', write);
  }
}

function standingOf(standing: FlowStanding): Pick<FlowVersionDocument, 'standing'> {
  return standing === 'file' ? {} : { standing };
}

function idOf(name: string, version: number): string {
  return `${name}@${version}`;
}

function toDocument({ definition, version, hash, createdAt }: FlowVersion): FlowVersionDocument {
  const { name } = definition;
  return {
    _id: idOf(name, version),
    name,
    version,
    hash,
    createdAt: toDate(createdAt),
    definition: definitionToDocument(definition),
  };
}

function toVersion(document: FlowVersionDocument): FlowVersion {
  const { createdAt, definition, hash, name, version } = document;
  return {
    definition: checkFlow(documentToDefinition(definition), name),
    version,
    hash,
    createdAt: toMs(createdAt),
  };
}

function byName(a: FlowVersion, b: FlowVersion): number {
  return a.definition.name < b.definition.name ? -1 : 1;
}
