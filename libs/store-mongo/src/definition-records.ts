import type { Collection } from 'mongodb';
import { type FlowVersion, type JsonObject, readStoredJson } from '#core';
import {
  type CommandRecord,
  type DefinitionStore,
  type FlowHead,
  judgePut,
  type NewestVersion,
  checkCommand,
  type PutOrder,
  type PutResult,
  type RecordForm,
  type RecordReader,
  type RetireResult,
  type VersionEntry,
} from '#ports';
import { toDate, toMs } from './bson-values.js';
import { durable } from './connection.js';
import { type FlowVersionDocument, type FlowVersions, NEWEST } from './flow-versions.js';
import type { ServerCalls } from './server-calls.js';

/** The members that flows inherit from a command that they use, as stored. */
export interface CommandDocument {
  /** Module and command, as a JSON text: either may have any character. */
  readonly _id: string;
  readonly module: string;
  readonly command: string;
  readonly updatedAt: Date;
  /** JSON text. */
  readonly defaults: string;
}

const FORM: RecordForm<CommandDocument, CommandRecord> = {
  kind: 'command',
  idOf: ({ _id }) => _id,
  decode: ({ command, defaults, module, updatedAt }) => {
    const value = readStoredJson(defaults, 'defaults') as JsonObject;
    return checkCommand({ module, command, updatedAt: toMs(updatedAt), defaults: value });
  },
};

/** The collections that definitions are in. */
interface DefinitionCollections {
  readonly versions: Collection<FlowVersionDocument>;
  readonly commands: Collection<CommandDocument>;
}

/** Definitions that come by requests. */
export class DefinitionRecords implements DefinitionStore {
  constructor(
    private readonly collections: DefinitionCollections,
    private readonly flows: FlowVersions,
    private readonly calls: ServerCalls,
    private readonly records: RecordReader,
  ) {}

  /** Repeated after an unknown outcome, it finds what it stored by the hash. */
  async putFlow(order: PutOrder): Promise<PutResult> {
    const { definition, expected, hash, now } = order;
    for (let race = 0; ; race += 1) {
      const newest = await this.flows.newestOf(definition.name);
      const flow = newest && this.flows.readable(newest);
      const facts = newest && factsOf(newest, flow);
      // A version that an earlier try of this call may have stored is its own.
      const isOwn = race > 0 && facts?.hash === hash && facts.standing === 'stored';
      const verdict = isOwn ? 'kept' : judgePut(facts, { hash, expected });
      if (verdict === 'moved') return { kind: 'moved', version: newest?.version ?? 0 };
      const before = newest && headOf(newest);
      if (verdict !== 'added' && newest !== null && flow !== null) {
        if (verdict === 'taken') await this.flows.stand(newest, 'stored');
        return { kind: 'stored', flow, before };
      }
      const version = (newest?.version ?? 0) + 1;
      const next = { definition, version, hash, createdAt: now };
      if (await this.flows.add(next, 'stored', race)) return { kind: 'stored', flow: next, before };
    }
  }

  async retireFlow(name: string, expected?: readonly number[]): Promise<RetireResult> {
    const newest = await this.flows.newestOf(name);
    if (newest === null) return { kind: 'unknown' };
    const { version } = newest;
    if (expected !== undefined && !expected.includes(version)) return { kind: 'moved', version };
    await this.flows.stand(newest, 'retired');
    return { kind: 'retired' };
  }

  async listHeads(): Promise<readonly FlowHead[]> {
    type Head = Pick<FlowVersionDocument, 'name' | 'version' | 'standing'>;
    const pipeline = [
      { $sort: { name: 1, ...NEWEST } },
      {
        $group: {
          _id: '$name',
          name: { $first: '$name' },
          version: { $first: '$version' },
          standing: { $first: '$standing' },
        },
      },
    ];
    const read = (): Promise<Head[]> =>
      this.collections.versions.aggregate<Head>(pipeline).toArray();
    const found = await this.calls.call('listing flows', read);
    return found.map(headOf).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  async listVersions(
    name: string,
    limit: number,
    before?: number,
  ): Promise<readonly VersionEntry[]> {
    const filter = { name, ...(before !== undefined && { version: { $lt: before } }) };
    const projection = { version: 1, hash: 1, createdAt: 1 };
    const read = (): Promise<FlowVersionDocument[]> =>
      this.collections.versions.find(filter, { projection, sort: NEWEST, limit }).toArray();
    const found = await this.calls.call('listing versions', read);
    return found.map(({ createdAt, hash, version }) => {
      return { version, hash, createdAt: createdAt.getTime() };
    });
  }

  async putCommand({ command, defaults, module, updatedAt }: CommandRecord): Promise<void> {
    const document: CommandDocument = {
      _id: idOf(module, command),
      module,
      command,
      updatedAt: toDate(updatedAt),
      defaults: JSON.stringify(defaults),
    };
    const options = { upsert: true, writeConcern: this.durable };
    const write = (): Promise<unknown> =>
      this.collections.commands.replaceOne({ _id: document._id }, document, options);
    await this.calls.call('storing a command', write);
    this.records.clear('command', document._id);
  }

  async removeCommand(module: string, command: string): Promise<boolean> {
    const options = { writeConcern: this.durable };
    const filter = { _id: idOf(module, command) };
    const write = (): Promise<{ deletedCount: number }> =>
      this.collections.commands.deleteOne(filter, options);
    const isRemoved = (await this.calls.call('removing a command', write)).deletedCount === 1;
    if (isRemoved) this.records.clear('command', filter._id);
    return isRemoved;
  }

  async listCommands(): Promise<readonly CommandRecord[]> {
    const read = (): Promise<CommandDocument[]> =>
      this.collections.commands.find().sort({ module: 1, command: 1 }).toArray();
    const found = await this.calls.call('listing commands', read);
    return this.records.all(found, FORM);
  }

  private get durable(): ReturnType<typeof durable> {
    return durable(this.calls.settings.operationMs);
  }
}

/** A version that cannot be read is the same as nothing that anybody stores. */
function factsOf(
  { hash, standing, version }: FlowVersionDocument,
  flow: FlowVersion | null,
): NewestVersion {
  return { version, hash: flow === null ? '' : hash, standing: standing ?? 'file' };
}

function headOf({
  name,
  standing,
  version,
}: Pick<FlowVersionDocument, 'name' | 'version' | 'standing'>): FlowHead {
  // Of a group, a field that no document has is null.
  return { name, version, standing: standing ?? 'file' };
}

function idOf(module: string, command: string): string {
  return JSON.stringify([module, command]);
}
