import type { FlowVersion } from '#core';
import { type FlowStanding, judgePut } from '#core/task';
import {
  type DefinitionStore,
  type FlowHead,
  type PutOrder,
  type PutResult,
  type RetireResult,
  type VersionEntry,
} from '#ports';

/** The flow versions and standings that a memory store keeps. */
export interface MemoryDefinitionContents {
  readonly flows: Map<string, FlowVersion[]>;
  /** By the names of flows; a name that is absent is a file's. */
  readonly standings: Map<string, FlowStanding>;
}

/** Definitions that come by requests, in memory. */
export class MemoryDefinitions implements DefinitionStore {
  constructor(private readonly open: () => MemoryDefinitionContents) {}

  async putFlow({ definition, expected, hash, now }: PutOrder): Promise<PutResult> {
    const { flows, standings } = this.open();
    const { name } = definition;
    const newest = flows.get(name)?.at(-1) ?? null;
    const before = this.headOf(name);
    const facts = newest && before && { ...newest, standing: before.standing };
    const verdict = judgePut(facts, { hash, expected });
    if (verdict === 'moved') return { kind: 'moved', version: newest?.version ?? 0 };
    standings.set(name, 'stored');
    if (verdict !== 'added' && newest !== null) return { kind: 'stored', flow: newest, before };
    const flow = { definition, version: (newest?.version ?? 0) + 1, hash, createdAt: now };
    flows.set(name, [...(flows.get(name) ?? []), flow]);
    return { kind: 'stored', flow, before };
  }

  async retireFlow(name: string, expected?: readonly number[]): Promise<RetireResult> {
    const head = this.headOf(name);
    if (head === null) return { kind: 'unknown' };
    const { version } = head;
    if (expected !== undefined && !expected.includes(version)) return { kind: 'moved', version };
    this.open().standings.set(name, 'retired');
    return { kind: 'retired' };
  }

  async listHeads(): Promise<readonly FlowHead[]> {
    const names = [...this.open().flows.keys()].sort();
    return names.flatMap((name) => this.headOf(name) ?? []);
  }

  async listVersions(
    name: string,
    limit: number,
    before = Infinity,
  ): Promise<readonly VersionEntry[]> {
    const versions = (this.open().flows.get(name) ?? []).toReversed();
    const older = versions.filter(({ version }) => version < before).slice(0, limit);
    return older.map(({ createdAt, hash, version }) => ({ version, hash, createdAt }));
  }

  private headOf(name: string): FlowHead | null {
    const { flows, standings } = this.open();
    const newest = flows.get(name)?.at(-1);
    if (newest === undefined) return null;
    return { name, version: newest.version, standing: standings.get(name) ?? 'file' };
  }
}
