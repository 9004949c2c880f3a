import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { AuditEntry, LoggedEntry } from '#ports';
import { MemoryStore, RecordingObserver } from '#testing';
import { chained } from './audit-chain.js';
import { AuditHeads } from './audit-head.js';
import { isHeadSigned, type SignedHead, signHead } from './audit-signature.js';

const AT = Date.UTC(2026, 0, 1);
const FACT = {
  at: AT,
  actor: 'ci',
  keyId: null,
  operation: 'POST /v1/tasks',
  target: '/v1/tasks',
  status: 201,
  reason: null,
  requestId: 'r',
};

const pair = (): { readonly publicKey: KeyObject; readonly privateKey: KeyObject } =>
  generateKeyPairSync('ed25519');

describe('a signed head', () => {
  const head = { seq: 3, hash: 'ab'.repeat(32), at: '2026-01-01T00:00:00.000Z' };
  const { privateKey, publicKey } = pair();
  const signed = signHead(head, privateKey);

  it('holds with the key of whoever signed it, also when that is one of several', () => {
    expect(isHeadSigned(signed, [publicKey])).toBe(true);
    expect(isHeadSigned(signed, [pair().publicKey, publicKey])).toBe(true);
    expect(isHeadSigned(signed, [pair().publicKey])).toBe(false);
    expect(isHeadSigned(signed, [])).toBe(false);
  });

  it.each([
    ['number', { seq: 2 }],
    ['hash', { hash: 'ac'.repeat(32) }],
    ['moment', { at: '2026-01-02T00:00:00.000Z' }],
    [
      'signature',
      { signature: `${signed.signature.startsWith('B') ? 'C' : 'B'}${signed.signature.slice(1)}` },
    ],
  ])('does not hold with another %s', (_, other) => {
    expect(isHeadSigned({ ...signed, ...other }, [publicKey])).toBe(false);
  });
});

describe('heads of a log', () => {
  const { privateKey: key, publicKey } = pair();
  let store: MemoryStore;
  let observer: RecordingObserver;
  let kept: SignedHead[];
  let heads: AuditHeads;
  let now: number;

  beforeEach(() => {
    store = new MemoryStore();
    observer = new RecordingObserver();
    kept = [];
    now = AT;
    const clock = { now: () => now };
    const keep = (head: SignedHead): void => void kept.push(head);
    heads = new AuditHeads({ log: store.audit, key, clock, observer, keep });
  });

  async function write(count: number): Promise<void> {
    for (let n = 0; n < count; n += 1) {
      await store.audit.appendEntries([chained(FACT, store.contents.audit.at(-1) ?? null)]);
    }
  }

  const hashOf = (seq: number): string | undefined => store.contents.audit[seq - 1]?.hash;
  const told = () => observer.notices.map(({ level, message, name }) => [level, name, message]);

  it('are kept when the log has grown, and not again while it has not', async () => {
    await heads.tick();
    expect(kept).toEqual([]);
    await write(2);
    await heads.tick();
    now += 60_000;
    await heads.tick();
    await write(1);
    await heads.tick();
    expect(kept).toEqual([
      { seq: 2, hash: hashOf(2), at: '2026-01-01T00:00:00.000Z', signature: expect.any(String) },
      { seq: 3, hash: hashOf(3), at: '2026-01-01T00:01:00.000Z', signature: expect.any(String) },
    ]);
    expect(kept.every((head) => isHeadSigned(head, [publicKey]))).toBe(true);
    expect(told()).toEqual([]);
  });

  it('are signed at any time for whoever asks', async () => {
    expect(await heads.sign()).toBeNull();
    await write(1);
    expect(await heads.sign()).toMatchObject({ seq: 1, hash: hashOf(1) });
    expect(kept).toEqual([]);
  });

  it('tell once that the entry of the last one is gone, and go on from what is left', async () => {
    await write(3);
    await heads.tick();
    store.contents.audit.length = 1;
    await heads.tick();
    await heads.tick();
    expect(told()).toEqual([
      [
        'error',
        'audit_cut',
        expect.stringMatching(/^entry 3 of the audit log is missing since it was signed at /),
      ],
    ]);
    expect(kept.map(({ seq }) => seq)).toEqual([3, 1]);
  });

  it('tell that another entry took the place, whatever is behind it', async () => {
    await write(3);
    await heads.tick();
    store.contents.audit.length = 2;
    now += 1;
    const other = chained({ ...FACT, actor: 'x' }, store.contents.audit[1] as AuditEntry);
    await store.audit.appendEntries([other, chained(FACT, other)]);
    await heads.tick();
    expect(told()).toEqual([
      ['error', 'audit_cut', expect.stringMatching(/^entry 3 of the audit log has changed/)],
    ]);
    expect(kept.map(({ seq }) => seq)).toEqual([3, 4]);
  });

  it('leave out an end whose hash cannot be read', async () => {
    const broken: LoggedEntry = { seq: 4, unreadable: 'hash is not a text' };
    const log = { readEntries: async () => [broken] };
    const blind = new AuditHeads({
      log,
      key,
      clock: { now: () => AT },
      observer,
      keep: (head) => void kept.push(head),
    });
    await blind.tick();
    expect([kept, await blind.sign()]).toEqual([[], null]);
  });
});
