import { describe, expect, it } from '@jest/globals';
import { settle } from '#testing';
import { UnsuitableServer } from './failure.js';
import { proveServer, type Scratch } from './server-proof.js';

/** A server in memory: one that compares and writes in one step, or one that does not. */
class ScratchServer implements Scratch {
  private readonly revisions = new Map<string, number>();
  private readonly keys = new Set<string>();
  removed: readonly string[] = [];

  constructor(private readonly isAtomic: { readonly update: boolean; readonly key: boolean }) {}

  async create(id: string): Promise<void> {
    this.revisions.set(id, 1);
  }

  /** Like FerretDB 1: selects, filters, then updates by id. */
  async raise(id: string): Promise<boolean> {
    const isFirst = this.revisions.get(id) === 1;
    if (!this.isAtomic.update) await settle();
    if (isFirst) this.revisions.set(id, 2);
    return isFirst;
  }

  async claim(key: string): Promise<boolean> {
    const isFree = !this.keys.has(key);
    if (!this.isAtomic.key) await settle();
    if (isFree) this.keys.add(key);
    return isFree;
  }

  async remove(names: readonly string[]): Promise<void> {
    this.removed = names;
  }
}

function numberedMarks(): () => string {
  let nth = 0;
  return () => `mark-${(nth += 1)}`;
}

describe('the proof of a server', () => {
  it('accepts one where exactly one writer wins', async () => {
    const server = new ScratchServer({ update: true, key: true });
    await proveServer(server, numberedMarks());
    expect(server.removed.length).toBeGreaterThan(0);
  });

  it('refuses one with several winners of a conditional update, and cleans up', async () => {
    const server = new ScratchServer({ update: false, key: true });
    const proof = proveServer(server, numberedMarks());
    await expect(proof).rejects.toThrow(UnsuitableServer);
    await expect(proof).rejects.toThrow('32 of 32 concurrent conditional updates');
    expect(server.removed).toEqual(['mark-1']);
  });

  it('refuses one that takes an id twice', async () => {
    const server = new ScratchServer({ update: true, key: false });
    await expect(proveServer(server, numberedMarks())).rejects.toThrow('under one id');
  });

  it('refuses one where nobody wins', async () => {
    const server = new ScratchServer({ update: true, key: true });
    server.raise = async () => false;
    await expect(proveServer(server, numberedMarks())).rejects.toThrow('let 0 of 32');
  });
});
