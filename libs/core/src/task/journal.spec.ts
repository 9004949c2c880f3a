import { describe, expect, it } from '@jest/globals';
import { Journal, JOURNAL_MAX, type JournalEntry, type JournalKind } from './journal.js';

function entries(from: number, kinds: readonly JournalKind[]): JournalEntry[] {
  return kinds.map((kind, n) => ({ seq: from + n, at: 0, kind }));
}

/** A journal into which these kinds came one by one. */
function grown(kinds: readonly JournalKind[]): Journal {
  let journal = Journal.of([]);
  kinds.forEach((kind, n) => (journal = journal.with(entries(n + 1, [kind]))));
  return journal;
}

function flood(count: number, kind: JournalKind = 'failed'): JournalKind[] {
  return Array.from({ length: count }, () => kind);
}

const seqs = (journal: Journal) => journal.entries().map(({ seq }) => seq);

describe('a journal', () => {
  it('keeps everything up to its bound', () => {
    expect(seqs(grown(flood(JOURNAL_MAX)))).toEqual(Array.from({ length: 1_000 }, (_, n) => n + 1));
  });

  it.each([0, 1, 63, 64, 65, 127, 128, 129, 300])('of %d entries reads like a list', (count) => {
    const all = entries(1, flood(count));
    const journal = grown(flood(count));
    expect(journal.entries()).toEqual(all);
    expect([...journal]).toEqual(all);
    expect(JSON.parse(JSON.stringify({ journal }))).toEqual({ journal: all });
    expect(journal).toHaveLength(count);
    for (const { seq } of all) expect(journal.findLast((one) => one.seq <= seq)?.seq).toBe(seq);
    expect(journal.findLast(({ seq }) => seq > count)).toBeUndefined();
    for (let at = -count - 1; at <= count; at += 1)
      expect(journal.at(at)).toBe(journal.entries().at(at));
    for (let seq = 0; seq <= count; seq += 1) {
      expect(seqs(Journal.of(journal.after(seq)))).toEqual(seqs(Journal.of(all.slice(seq))));
    }
  });

  it.each([1, 63, 64, 65, 200])('is the same however %d entries came', (count) => {
    expect(grown(flood(count))).toEqual(Journal.of(entries(1, flood(count))));
    const two = Journal.of([])
      .with(entries(1, flood(1)))
      .with(entries(2, flood(count)));
    expect(two).toEqual(Journal.of(entries(1, flood(count + 1))));
  });

  it('is never changed by what is added', () => {
    const journal = grown(flood(70));
    const more = journal.with(entries(71, flood(80)));
    expect([journal.length, more.length]).toEqual([70, 150]);
    expect(journal.with([])).toBe(journal);
  });

  it('never loses its beginning and its newest entries, whatever comes', () => {
    const kept = new Set(seqs(grown(flood(10_000))));
    for (let seq = 1; seq <= 100; seq++) expect(kept).toContain(seq);
    for (let seq = 9_601; seq <= 10_000; seq++) expect(kept).toContain(seq);
    expect(kept.size).toBeLessThanOrEqual(JOURNAL_MAX);
  });

  it('keeps what persons did and why the task went round when the rest is left out', () => {
    const kinds = [...flood(300), 'turned_back', 'retry_requested', ...flood(5_000)] as const;
    const journal = grown(kinds);
    expect(journal.entries().filter(({ kind }) => kind !== 'failed')).toMatchObject([
      { seq: 301, kind: 'turned_back' },
      { seq: 302, kind: 'retry_requested' },
    ]);
  });

  it("is bounded by persons' actions too, of which the first and the newest stay", () => {
    const journal = grown([...flood(100), ...flood(10_000, 'retry_requested')]);
    expect(journal.length).toBeLessThanOrEqual(JOURNAL_MAX);
    expect(seqs(journal).slice(99, 200)).toEqual(Array.from({ length: 101 }, (_, n) => n + 100));
    expect(journal.at(-1)?.seq).toBe(10_100);
  });

  it('stays in order and is written anew only once in 250 entries', () => {
    let journal = grown(flood(JOURNAL_MAX));
    let thinnings = 0;
    for (let seq = 1_001; seq <= 6_000; seq++) {
      const next = journal.with(entries(seq, ['failed']));
      if (next.length <= journal.length) thinnings += 1;
      journal = next;
      expect(journal.at(-1)?.seq).toBe(seq);
    }
    expect(thinnings).toBeLessThanOrEqual(20);
    expect(seqs(journal)).toEqual(seqs(journal).toSorted((a, b) => a - b));
  });
});
