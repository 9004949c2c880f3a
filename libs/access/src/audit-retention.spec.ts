import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEntry, AuditFact, LoggedEntry } from '#ports';
import { MemoryStore, RecordingObserver } from '#testing';
import { chained, ChainCheck, hashOfEntry } from './audit-chain.js';
import { AuditHeads } from './audit-head.js';
import { AuditRetention } from './audit-retention.js';
import { isAnchorSigned, signAnchor, type SignedHead, signHead } from './audit-signature.js';
import { AuditTrail } from './audit-trail.js';

const NOW = Date.UTC(2026, 6, 1);
const DAY_MS = 86_400_000;
const KEPT_MS = 90 * DAY_MS;
const OLD = NOW - KEPT_MS - 1;
const { privateKey, publicKey } = generateKeyPairSync('ed25519');

let store: MemoryStore;
let observer: RecordingObserver;
let now: number;

beforeEach(() => {
  store = new MemoryStore();
  observer = new RecordingObserver();
  now = NOW;
});

function factAt(at: number): AuditFact {
  const what = { operation: 'POST /v1/tasks', target: '/v1/tasks', status: 201, reason: null };
  return { at, actor: 'ci', keyId: null, requestId: 'r', ...what };
}

async function write(...times: readonly number[]): Promise<void> {
  for (const at of times) await append(factAt(at));
}

async function append(fact: AuditFact): Promise<void> {
  await store.audit.appendEntries([chained(fact, log().at(-1) ?? null)]);
}

function log(): AuditEntry[] {
  return store.contents.audit;
}

function retention(key: KeyObject | null = null): AuditRetention {
  const trail = new AuditTrail({ log: store.audit, observer });
  const clock = { now: () => now, monotonic: () => now };
  return new AuditRetention({ log: store.audit, trail, key, clock, observer, keptMs: KEPT_MS });
}

const seqs = (): readonly number[] => log().map(({ seq }) => seq);
const told = () => observer.notices.map(({ error, name }) => [name, (error as Error)?.message]);

function checked(entries: readonly LoggedEntry[] = log()): ChainCheck {
  const check = new ChainCheck();
  for (const entry of entries) expect(check.take(entry)).toBeNull();
  expect(check.end()).toBeNull();
  return check;
}

describe('retention of the audit log', () => {
  it('removes what is old enough, behind an entry that says so', async () => {
    await write(OLD, OLD, NOW - KEPT_MS, NOW);
    const { hash } = log()[1]!;
    expect(await retention().tick()).toBe(false);
    expect(seqs()).toEqual([3, 4, 5]);
    expect(log()[2]).toMatchObject({
      at: NOW,
      actor: 'backstep',
      operation: 'REMOVE /v1/audit',
      anchor: { seq: 2, hash, kept: KEPT_MS },
    });
    const { removal, start } = checked();
    expect([start, removal]).toEqual([
      { seq: 2, hash },
      { seq: 2, at: NOW, unsigned: 0, kept: KEPT_MS },
    ]);
    expect(told()).toEqual([['audit_removed', undefined]]);
  });

  it('counts what it removes, and knows how old the rest is', async () => {
    const some = retention();
    expect([some.removed, some.roundEndedAt, some.oldestAt]).toEqual([0, null, null]);
    await write(OLD, OLD, NOW - KEPT_MS, NOW);
    await some.tick();
    expect([some.removed, some.roundEndedAt, some.oldestAt]).toEqual([2, NOW, NOW - KEPT_MS]);
    now += 1;
    await some.tick();
    expect([some.removed, some.roundEndedAt, some.oldestAt]).toEqual([3, NOW + 1, NOW]);
    now += KEPT_MS;
    store.contents.audit.splice(1, 1);
    await some.tick();
    // A round that went wrong has not ended well.
    expect([some.removed, some.roundEndedAt, some.oldestAt]).toEqual([3, NOW + 1, NOW]);
  });

  it('knows no age of entries where there are none', async () => {
    const some = retention();
    await some.tick();
    expect([some.roundEndedAt, some.oldestAt]).toEqual([NOW, null]);
  });

  it('keeps all while nothing is old enough, or the newest alone is', async () => {
    await retention().tick();
    await write(OLD);
    await retention().tick();
    await write(NOW, OLD);
    await retention().tick();
    // Of the second the first one is old, and the third is behind one that is not.
    expect(seqs()).toEqual([2, 3, 4]);
    await retention().tick();
    expect(seqs()).toEqual([2, 3, 4]);
    checked();
  });

  it('goes on from an earlier removal, of this process and of another one', async () => {
    await write(OLD, OLD + DAY_MS, NOW);
    const first = retention();
    await first.tick();
    now += DAY_MS + 1;
    await retention().tick();
    expect(seqs()).toEqual([3, 4, 5]);
    now += KEPT_MS;
    await first.tick();
    // The entry about the first removal went as well; the last is about those up to there.
    expect(seqs()).toEqual([5, 6]);
    expect(log()[1]?.anchor).toMatchObject({ seq: 4 });
    checked();
  });

  it('removes a thousand at a time', async () => {
    await write(...Array.from({ length: 1_500 }, () => OLD), NOW);
    const some = retention();
    expect(await some.tick()).toBe(true);
    expect(seqs()[0]).toBe(1_001);
    expect(await some.tick()).toBe(false);
    expect(seqs()).toEqual([1_501, 1_502, 1_503]);
    checked();
  });

  it('leaves entries about removals to the next one of other entries', async () => {
    await write(OLD, NOW);
    await retention().tick();
    now += KEPT_MS + 1;
    await retention().tick();
    const before = seqs();
    now += KEPT_MS + 1;
    await retention().tick();
    expect([before, seqs()]).toEqual([
      [3, 4],
      [3, 4],
    ]);
  });

  it('goes on after a stop between what is said and what is done', async () => {
    await write(OLD, OLD, NOW);
    const { audit } = store;
    const cut = {
      readEntries: audit.readEntries.bind(audit),
      removeEntries: async () => audit.removeEntries(1),
    };
    const trail = new AuditTrail({ log: audit, observer });
    const clock = { now: () => now, monotonic: () => now };
    const parts = { log: cut, trail, key: null, clock, observer, keptMs: KEPT_MS };
    await new AuditRetention(parts).tick();
    expect(seqs()).toEqual([2, 3, 4]);
    checked();
    await retention().tick();
    expect(seqs()).toEqual([3, 4, 5]);
    checked();
  });

  it('removes nothing when the entry about it cannot be written', async () => {
    await write(OLD, OLD, NOW);
    const trail = { add: async () => false };
    const clock = { now: () => now, monotonic: () => now };
    const parts = { log: store.audit, trail, key: null, clock, observer, keptMs: KEPT_MS };
    expect(await new AuditRetention(parts).tick()).toBe(false);
    expect(seqs()).toEqual([1, 2, 3]);
  });

  it('says once that the store does not answer, and goes on later', async () => {
    await write(OLD, OLD, NOW);
    const some = retention();
    store.down = true;
    await some.tick();
    await some.tick();
    expect(told().map(([name]) => name)).toEqual(['audit_retention_failed']);
    store.down = false;
    await some.tick();
    expect(seqs()).toEqual([3, 4]);
  });
});

describe('retention does not hide what somebody did', () => {
  it.each([
    ['changed', () => (log()[1] = { ...log()[1]!, actor: 'x' }), 'entry 2 is changed'],
    ['taken out', () => log().splice(1, 1), 'entry 2 is missing'],
    ['cut off at the beginning', () => log().splice(0, 1), 'entry 1 is missing'],
  ])('where an entry was %s', async (_, harm, words) => {
    await write(OLD, OLD, OLD, NOW);
    harm();
    const left = seqs();
    const some = retention();
    await some.tick();
    await some.tick();
    expect(told()).toEqual([['audit_retention_failed', words]]);
    expect(seqs()).toEqual(left);
  });

  it('nor where more are gone than the log tells of', async () => {
    await write(OLD, OLD, OLD + DAY_MS, OLD + DAY_MS, NOW);
    const some = retention();
    await some.tick();
    log().splice(0, 1);
    now += 2 * DAY_MS;
    for (const one of [some, retention()]) await one.tick();
    expect(seqs()).toEqual([4, 5, 6]);
    expect(told().slice(1)).toEqual([
      ['audit_retention_failed', 'entry 1 is missing'],
      ['audit_retention_failed', 'entry 1 is missing'],
    ]);
  });

  it('and passes over entries that cannot be read', async () => {
    await write(OLD, OLD, OLD, OLD, NOW);
    const { audit } = store;
    const broken = {
      ...{ removeEntries: audit.removeEntries.bind(audit) },
      readEntries: async (query: Parameters<typeof audit.readEntries>[0]) =>
        Array.from(await audit.readEntries(query), (entry): LoggedEntry => {
          return [1, 3].includes(entry.seq)
            ? { seq: entry.seq, unreadable: 'x', hash: entry.hash }
            : entry;
        }),
    };
    const trail = new AuditTrail({ log: audit, observer });
    const clock = { now: () => now, monotonic: () => now };
    const parts = { log: broken, trail, key: null, clock, observer, keptMs: KEPT_MS };
    await new AuditRetention(parts).tick();
    expect(seqs()).toEqual([5, 6]);
    checked();
  });
});

describe('retention, where heads are signed,', () => {
  const shelved: SignedHead[] = [];
  const shelf = {
    name: 'audit.key.head',
    load: () => shelved.at(-1) ?? null,
    save: (head: SignedHead) => void shelved.push(head),
  };
  beforeEach(() => void shelved.splice(0));

  /** As after a restart: all that is known is in the log and on the shelf. */
  function gateway(): { readonly heads: AuditHeads; readonly removal: AuditRetention } {
    const clock = { now: () => now, monotonic: () => now };
    const parts = { log: store.audit, key: privateKey, clock, observer };
    const heads = new AuditHeads({ ...parts, keep: () => {}, shelf });
    const trail = new AuditTrail({ log: store.audit, observer });
    const expectHeads = (): Promise<void> => heads.expectSound();
    const removal = new AuditRetention({ ...parts, trail, keptMs: KEPT_MS, expectHeads });
    return { heads, removal };
  }

  /** A person who may write to the store changes an entry, and makes the log look old. */
  function dateBack(days: number): void {
    const forged = log().splice(0);
    const facts = [...forged, ...forged.slice(0, 2)].map((entry, index) => {
      const { hash: _, prev: __, seq: ___, ...fact } = entry;
      return { ...fact, at: fact.at - days * DAY_MS, ...(index === 1 && { actor: 'nobody' }) };
    });
    for (const fact of facts) log().push(chained(fact, log().at(-1) ?? null));
  }

  it('does not sign away what somebody has dated back while no gateway ran', async () => {
    await write(NOW - 2, NOW - 1, NOW);
    await gateway().heads.tick();
    dateBack(400);
    await append(factAt(NOW));
    const left = seqs();
    for (const { heads, removal } of [gateway(), gateway()]) {
      await removal.tick();
      await heads.tick();
      await removal.tick();
    }
    expect(seqs()).toEqual(left);
    const cut = expect.stringMatching(/^entry 3 .* has changed since .*audit\.key\.head is there$/);
    expect(told()).toEqual([
      ['audit_cut', undefined],
      ['audit_retention_failed', cut],
      ['audit_cut', undefined],
      ['audit_retention_failed', cut],
    ]);
    // Once a person has seen it.
    shelved.splice(0);
    await gateway().removal.tick();
    expect(seqs()).not.toEqual(left);
  });

  it('stands still where the entry of the head was made unreadable', async () => {
    await write(OLD, OLD, OLD, NOW);
    const { heads, removal } = gateway();
    await heads.tick();
    const { audit } = store;
    const readEntries = audit.readEntries.bind(audit);
    audit.readEntries = async (query) =>
      Array.from(await readEntries(query), (entry) => {
        const broken = { seq: 4, unreadable: 'x', hash: entry.hash };
        return entry.seq === 4 ? (broken as never) : entry;
      });
    await removal.tick();
    expect(seqs()).toEqual([1, 2, 3, 4]);
    expect(told()).toEqual([
      ['audit_retention_failed', expect.stringMatching(/^entry 4 is unreadable/)],
    ]);
  });

  it('goes on where another gateway has removed the entry of the head', async () => {
    await write(OLD, OLD, OLD, NOW);
    shelved.push(signHead({ ...log()[0]!, at: new Date(OLD).toISOString() }, privateKey));
    const other = gateway();
    shelved.splice(0);
    await gateway().removal.tick();
    await other.heads.tick();
    await other.heads.expectSound();
    expect(told().map(([name]) => name)).toEqual(['audit_removed']);
  });

  it.each([
    ['by somebody without the key', null, OLD],
    ['before it was old', privateKey, NOW],
  ])('tells that the entry of the head was removed %s', async (_, key, headAt) => {
    await write(OLD, OLD, OLD, NOW);
    shelved.push(signHead({ ...log()[0]!, at: new Date(headAt).toISOString() }, privateKey));
    const { heads } = gateway();
    await retention(key).tick();
    await heads.tick();
    const last = observer.notices.at(-1);
    expect([last?.name, last?.message]).toEqual([
      'audit_cut',
      expect.stringMatching(/^entry 1 of the audit log was removed/),
    ]);
  });

  it('takes no notice of a clock that was set forward', async () => {
    await write(NOW - DAY_MS, NOW - 1, NOW);
    let elapsed = 0;
    const clock = { now: () => now, monotonic: () => elapsed };
    const trail = new AuditTrail({ log: store.audit, observer });
    const parts = { log: store.audit, trail, key: null, clock, observer, keptMs: KEPT_MS };
    const some = new AuditRetention(parts);
    now += 10 * KEPT_MS;
    await some.tick();
    expect(seqs()).toEqual([1, 2, 3]);
    elapsed += 10 * KEPT_MS;
    await some.tick();
    expect(seqs()).toEqual([3, 4]);
  });
});

it('entries that are dated long before one in front of them are known', async () => {
  await write(NOW, NOW - 60_000, NOW - DAY_MS, NOW, NOW - 2 * DAY_MS);
  expect(checked().fallen).toEqual([3, 5]);
});

it('nobody vouches for entries that could not be read, as far as they are kept', async () => {
  await write(OLD, OLD, NOW, NOW);
  const end = { seq: 4, hash: log()[0]!.hash, hashSeq: 1 };
  const anchor = { seq: 2, hash: log()[1]!.hash };
  await store.audit.appendEntries([chained({ ...factAt(NOW), anchor }, end)]);
  expect(checked().unvouched).toEqual([{ from: 2, to: 4 }]);
  await store.audit.removeEntries(2);
  expect(checked().unvouched).toEqual([{ from: 3, to: 4 }]);
});

describe('a removal that is signed', () => {
  const isGood = (entry: AuditEntry): boolean => isAnchorSigned(entry, [publicKey]);

  it('holds with the key alone, for this anchor at this moment', async () => {
    await write(OLD, OLD, NOW);
    await retention(privateKey).tick();
    const entry = log().at(-1)!;
    const { publicKey: other } = generateKeyPairSync('ed25519');
    expect([isGood(entry), isAnchorSigned(entry, [other])]).toEqual([true, false]);
    const { anchor, at } = entry as Required<AuditEntry>;
    for (const harm of [{ seq: 3 }, { hash: 'ab'.repeat(32) }, { unsigned: 1 }, { kept: 1 }]) {
      expect(isGood({ ...entry, anchor: { ...anchor, ...harm } })).toBe(false);
    }
    expect(isGood({ ...entry, at: at + 1 })).toBe(false);
  });

  it('is told from one that somebody added who has no key', async () => {
    await write(OLD, OLD, NOW);
    await append({ ...factAt(NOW), anchor: { seq: 2, hash: log()[1]!.hash } });
    log().splice(0, 2);
    checked();
    const check = new ChainCheck(isGood);
    for (const entry of log()) check.take(entry);
    expect(check.end()).toEqual({ seq: 1, fault: 'missing' });
  });

  it('does not hide an earlier one that was not, and says so for good', async () => {
    await write(OLD, OLD, OLD + DAY_MS, OLD + 2 * DAY_MS, OLD + 3 * DAY_MS, NOW);
    await retention(null).tick();
    now += DAY_MS + 1;
    await retention(privateKey).tick();
    expect(told().map(([name]) => name)).toContain('audit_unsigned');
    now += DAY_MS + 1;
    await retention(privateKey).tick();
    const check = new ChainCheck(isGood);
    for (const entry of log()) expect(check.take(entry)).toBeNull();
    expect(check.end()).toBeNull();
    expect(check.removal).toMatchObject({ seq: 4, unsigned: 2 });
    expect(told().filter(([name]) => name === 'audit_unsigned')).toHaveLength(1);
  });
});

describe('an anchor', () => {
  it('is under the hash of its entry', () => {
    const anchor = signAnchor({ seq: 1, hash: 'ab'.repeat(32), unsigned: 1 }, NOW, privateKey);
    const entry = chained({ ...factAt(NOW), anchor }, { seq: 3, hash: 'cd' });
    expect(hashOfEntry(entry)).toBe(entry.hash);
    const { anchor: _, ...bare } = entry;
    const hashes = [
      bare,
      { ...entry, prevSeq: 2 },
      ...[{ seq: 2 }, { hash: 'x' }, { unsigned: 2 }, { signature: 'x' }, { kept: 1 }].map(
        (harm) => {
          return { ...entry, anchor: { ...anchor, ...harm } };
        },
      ),
    ].map((other) => hashOfEntry(other));
    expect(new Set([entry.hash, ...hashes]).size).toBe(hashes.length + 1);
  });

  it('tells of no entry behind itself, and of one by its hash', () => {
    const start = { seq: 3, hash: 'ab' };
    const check = (anchor: AuditFact['anchor'], seq = 9): ChainCheck => {
      const first = chained(factAt(NOW), start);
      const between = chained(factAt(NOW), first);
      const one = new ChainCheck();
      const entry = chained(
        { ...factAt(NOW), anchor: anchor! },
        { seq: seq - 1, hash: between.hash },
      );
      for (const part of [first, between, entry]) one.take(part);
      return one;
    };
    expect(check({ seq: 3, hash: 'ab' }, 6).end()).toBeNull();
    expect(check({ seq: 3, hash: 'cd' }, 6).end()).not.toBeNull();
    expect(check({ seq: 2, hash: 'ab' }, 6).end()).not.toBeNull();
    expect(check({ seq: 4, hash: 'cd' }, 6).end()).toBeNull();
    expect(check({ seq: 6, hash: 'cd' }, 6).end()).not.toBeNull();
  });
});
