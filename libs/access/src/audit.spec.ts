import { describe, expect, it } from '@jest/globals';
import type { AuditEntry, AuditFact } from '#ports';
import { MemoryStore, RecordingObserver } from '#testing';
import { chained, ChainCheck } from './audit-chain.js';
import { AuditTrail } from './audit-trail.js';

function factOf(n: number): AuditFact {
  return {
    at: 1_000 + n,
    actor: 'ci',
    keyId: 'k',
    operation: 'POST /v1/tasks/{taskId}:rollback',
    target: `/v1/tasks/${n}:rollback`,
    status: n % 2 === 0 ? 200 : 403,
    reason: null,
    requestId: `r-${n}`,
  };
}

function chainOf(count: number): AuditEntry[] {
  const entries: AuditEntry[] = [];
  for (let n = 1; n <= count; n += 1) entries.push(chained(factOf(n), entries.at(-1) ?? null));
  return entries;
}

function faultOf(entries: readonly AuditEntry[]): unknown {
  const check = new ChainCheck();
  for (const entry of entries) {
    const fault = check.take(entry);
    if (fault !== null) return fault;
  }
  return null;
}

async function readAll(store: MemoryStore): Promise<readonly AuditEntry[]> {
  return store.audit.readEntries({ first: 'oldest', limit: 1_000 });
}

describe('a chain', () => {
  it('that nobody touched is sound', () => {
    expect(faultOf(chainOf(5))).toBeNull();
    expect(faultOf([])).toBeNull();
  });

  it.each(Object.keys(factOf(1)))('tells that %s of an entry was changed', (member) => {
    const chain = chainOf(5);
    chain[2] = { ...chain[2]!, [member]: 'else' };
    expect(faultOf(chain)).toEqual({ seq: 3, fault: 'changed' });
  });

  it('tells that an entry is missing, at the beginning too', () => {
    expect(faultOf(chainOf(5).toSpliced(2, 1))).toEqual({ seq: 3, fault: 'missing' });
    expect(faultOf(chainOf(5).slice(1))).toEqual({ seq: 1, fault: 'missing' });
  });

  it('tells that entries were moved, with their numbers and without', () => {
    const [one, two, three] = chainOf(3) as [AuditEntry, AuditEntry, AuditEntry];
    expect(faultOf([one, three, two])).toEqual({ seq: 2, fault: 'missing' });
    expect(faultOf([one, two, two])).toEqual({ seq: 2, fault: 'out of order' });
    const moved = [one, { ...three, seq: 2 }, { ...two, seq: 3 }];
    expect(faultOf(moved)).toEqual({ seq: 2, fault: 'changed' });
  });

  it('tells that an entry was replaced by one that is sound by itself', () => {
    const chain = chainOf(5);
    chain[2] = chained({ ...factOf(3), actor: 'somebody else' }, chain[1]!);
    expect(faultOf(chain)).toEqual({ seq: 3, fault: 'not the one that was there' });
  });
});

describe('a trail', () => {
  it('writes what comes in at once as one chain', async () => {
    const store = new MemoryStore();
    const trail = new AuditTrail({ log: store.audit, observer: new RecordingObserver() });
    await Promise.all(Array.from({ length: 250 }, (_, n) => trail.add(factOf(n))));
    const entries = await readAll(store);
    expect(entries.map(({ requestId }) => requestId)).toEqual(
      Array.from({ length: 250 }, (_, n) => `r-${n}`),
    );
    expect(faultOf(entries)).toBeNull();
  });

  it('shares the chain with other processes', async () => {
    const store = new MemoryStore();
    const observer = new RecordingObserver();
    const trails = Array.from({ length: 4 }, () => new AuditTrail({ log: store.audit, observer }));
    await Promise.all(
      Array.from({ length: 40 }, (_, n) => trails[n % trails.length]!.add(factOf(n))),
    );
    const entries = await readAll(store);
    expect(entries.length).toBe(40);
    expect(new Set(entries.map(({ requestId }) => requestId)).size).toBe(40);
    expect(faultOf(entries)).toBeNull();
  });

  it('tells what it could not write, keeps nobody waiting, and goes on', async () => {
    const store = new MemoryStore();
    const observer = new RecordingObserver();
    const trail = new AuditTrail({ log: store.audit, observer });
    await trail.add(factOf(1));
    store.down = true;
    await trail.add(factOf(2));
    store.down = false;
    await trail.add(factOf(3));
    expect(observer.notices.map(({ name }) => name)).toEqual(['audit_failed']);
    expect((await readAll(store)).map(({ requestId }) => requestId)).toEqual(['r-1', 'r-3']);
    expect(faultOf(await readAll(store))).toBeNull();
  });
});
