import { MongoServerError, type Collection } from 'mongodb';
import type { FlowDefinition, FlowVersion } from '#core';
import { StoreUnavailable, type FlowStore } from '#ports';
import { toDate } from './bson-values.js';
import { durable } from './connection.js';
import { DUPLICATE_KEY } from './failure.js';
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
  readonly definition: DefinitionDocument;
}

/** Attempts to get the next number while other processes take it. */
const RACES_MAX = 100;

const NEWEST = { version: -1 } as const;

/** Keeps flow definitions. */
export class FlowVersions implements FlowStore {
  constructor(
    private readonly versions: Collection<FlowVersionDocument>,
    private readonly calls: ServerCalls,
  ) {}

  /** Repeated after an unknown outcome, it finds what it stored by the hash. */
  async saveFlow(definition: FlowDefinition, hash: string, now: number): Promise<FlowVersion> {
    const { name } = definition;
    for (let race = 0; race < RACES_MAX; race += 1) {
      const newest = await this.newestOf(name);
      if (newest?.hash === hash) return toVersion(newest);
      const version = (newest?.version ?? 0) + 1;
      const made = { definition, version, hash, createdAt: now };
      if (await this.insert(toDocument(made))) return made;
    }
    throw new StoreUnavailable(`Flow ${name} is being changed by too many processes at once.`);
  }

  async getFlow(name: string, version?: number): Promise<FlowVersion | null> {
    const found = await (version === undefined
      ? this.newestOf(name)
      : this.calls.call('reading a flow', () =>
          this.versions.findOne({ _id: idOf(name, version) }),
        ));
    return found === null ? null : toVersion(found);
  }

  async listFlows(): Promise<readonly FlowVersion[]> {
    const pipeline = [
      { $sort: { name: 1, ...NEWEST } },
      { $group: { _id: '$name', newest: { $first: '$$ROOT' } } },
    ];
    const read = (): Promise<{ newest: FlowVersionDocument }[]> =>
      this.versions.aggregate<{ newest: FlowVersionDocument }>(pipeline).toArray();
    const found = await this.calls.call('listing flows', read);
    return found.map(({ newest }) => toVersion(newest)).toSorted(byName);
  }

  private newestOf(name: string): Promise<FlowVersionDocument | null> {
    const read = (): Promise<FlowVersionDocument | null> =>
      this.versions.findOne({ name }, { sort: NEWEST });
    return this.calls.call('reading a flow', read);
  }

  /** False where the number was taken meanwhile. */
  private async insert(document: FlowVersionDocument): Promise<boolean> {
    const options = { writeConcern: durable(this.calls.settings.operationMs) };
    const write = (): Promise<boolean> =>
      this.versions.insertOne(document, options).then(() => true, isTaken);
    return this.calls.call('storing a flow', write);
  }
}

function isTaken(error: unknown): false {
  if (error instanceof MongoServerError && error.code === DUPLICATE_KEY) return false;
  throw error;
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

function toVersion({ definition, version, hash, createdAt }: FlowVersionDocument): FlowVersion {
  return {
    definition: documentToDefinition(definition),
    version,
    hash,
    createdAt: createdAt.getTime(),
  };
}

function byName(a: FlowVersion, b: FlowVersion): number {
  return a.definition.name < b.definition.name ? -1 : 1;
}
