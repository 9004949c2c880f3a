import { describe, expect, it } from '@jest/globals';
import { type AuditEntry, type AuditFact, type AuditLog, isUnreadableEntry } from '#ports';
import { MemoryStore, RecordingObserver } from '#testing';
import { chained, ChainCheck, hashOfEntry } from './audit-chain.js';
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
  return check.end();
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

/** A log in which these entries are broken; `isHashKnown`: their hash alone can be read. */
function breaking(log: AuditLog, seqs: readonly number[], isHashKnown: boolean): AuditLog {
  return {
    appendEntries: (entries) => log.appendEntries(entries),
    removeEntries: (upTo) => log.removeEntries(upTo),
    readEntries: async (query) =>
      Array.from(await log.readEntries(query), (entry) => {
        if (!seqs.includes(entry.seq)) return entry;
        const known = isHashKnown ? { hash: entry.hash! } : {};
        return { seq: entry.seq, unreadable: 'actor is not a text', ...known };
      }),
  };
}

interface Scene {
  readonly whole: AuditLog;
  readonly broken: AuditLog;
}

/** Entries 1 to 3, then some of them break, then a process that begins writes 4 and 5. */
async function writtenBehind(seqs: readonly number[], isHashKnown: boolean): Promise<Scene> {
  const store = new MemoryStore();
  const observer = new RecordingObserver();
  const first = new AuditTrail({ log: store.audit, observer });
  for (const n of [1, 2, 3]) await first.add(factOf(n));
  const broken = breaking(store.audit, seqs, isHashKnown);
  const begun = new AuditTrail({ log: broken, observer });
  for (const n of [4, 5]) await begun.add(factOf(n));
  expect(observer.notices).toEqual([]);
  return { whole: store.audit, broken };
}

async function checkOf(
  log: AuditLog,
  edit: (entry: AuditEntry) => AuditEntry = (entry) => entry,
): Promise<{ readonly faults: readonly unknown[]; readonly unvouched: readonly unknown[] }> {
  const check = new ChainCheck();
  const faults: unknown[] = [];
  for (const entry of await log.readEntries({ first: 'oldest', limit: 10 })) {
    const fault = check.take(isUnreadableEntry(entry) ? entry : edit(entry));
    if (fault !== null) faults.push(fault);
    if (fault !== null && fault.fault !== 'unreadable') break;
  }
  return { faults, unvouched: check.unvouched };
}

const edited = (entry: AuditEntry): AuditEntry =>
  entry.seq === 3 ? { ...entry, actor: 'somebody else' } : entry;
const rehashed = (entry: AuditEntry): AuditEntry => {
  const other = edited(entry);
  return { ...other, hash: hashOfEntry(other) };
};

describe('a trail behind entries that cannot be read', () => {
  it('goes on behind an entry of which the hash alone can be read, as if it were whole', async () => {
    const { broken, whole } = await writtenBehind([3], true);
    expect(await checkOf(broken)).toEqual({
      faults: [{ seq: 3, fault: 'unreadable' }],
      unvouched: [],
    });
    expect(await checkOf(whole)).toEqual({ faults: [], unvouched: [] });
    const { faults } = await checkOf(whole, rehashed);
    expect(faults).toEqual([{ seq: 3, fault: 'not the one that was there' }]);
    const cut = breaking(whole, [3], false);
    expect((await checkOf(cut)).faults).toEqual([{ seq: 3, fault: 'unreadable' }]);
  });

  it.each([
    [[3], 2, { from: 3, to: 3 }],
    [[2, 3], 1, { from: 2, to: 3 }],
    [[1, 2, 3], 0, { from: 1, to: 3 }],
  ])('goes on over unreadable entries %j, and says so', async (seqs, prevSeq, range) => {
    const { broken, whole } = await writtenBehind(seqs, false);
    expect(await checkOf(broken)).toEqual({
      faults: seqs.map((seq) => ({ seq, fault: 'unreadable' })),
      unvouched: [range],
    });
    const [, , , fourth, fifth] = await whole.readEntries({ first: 'oldest', limit: 10 });
    expect(fourth).toMatchObject({ prevSeq });
    expect(Object.keys(fifth!)).not.toContain('prevSeq');
  });

  it('is sound once such an entry was mended, for which alone nothing vouches', async () => {
    const { whole } = await writtenBehind([3], false);
    const unvouched = [{ from: 3, to: 3 }];
    expect(await checkOf(whole)).toEqual({ faults: [], unvouched });
    const { faults } = await checkOf(whole, edited);
    expect(faults).toEqual([{ seq: 3, fault: 'changed' }]);
    expect(await checkOf(whole, rehashed)).toEqual({ faults: [], unvouched });
    const moved = (entry: AuditEntry): AuditEntry => {
      return entry.seq === 4 ? { ...entry, prevSeq: 3 } : entry;
    };
    expect((await checkOf(whole, moved)).faults).toEqual([{ seq: 4, fault: 'changed' }]);
    const before = (entry: AuditEntry): AuditEntry => {
      const other = entry.seq === 2 ? { ...entry, actor: 'somebody else' } : entry;
      return { ...other, hash: hashOfEntry(other) };
    };
    const wrong = { seq: 2, fault: 'not the one that was there' };
    expect((await checkOf(whole, before)).faults).toEqual([wrong]);
  });
});
