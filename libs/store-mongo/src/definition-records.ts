import type { Collection } from 'mongodb';
import type { FlowVersion } from '#core';
import { judgePut, type NewestVersion } from '#core/task';
import {
  type DefinitionStore,
  type FlowHead,
  type PutOrder,
  type PutResult,
  type RetireResult,
  type VersionEntry,
} from '#ports';
import { type FlowVersionDocument, type FlowVersions, NEWEST } from './flow-versions.js';
import type { ServerCalls } from './server-calls.js';

/** Definitions that come by requests. */
export class DefinitionRecords implements DefinitionStore {
  constructor(
    private readonly versions: Collection<FlowVersionDocument>,
    private readonly flows: FlowVersions,
    private readonly calls: ServerCalls,
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
    const read = (): Promise<Head[]> => this.versions.aggregate<Head>(pipeline).toArray();
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
      this.versions.find(filter, { projection, sort: NEWEST, limit }).toArray();
    const found = await this.calls.call('listing versions', read);
    return found.map(({ createdAt, hash, version }) => {
      return { version, hash, createdAt: createdAt.getTime() };
    });
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
