import { describe, expect, it } from '@jest/globals';
import { type ActionRun, FRESH_RUNS, NOTHING_TO_UNDO, PENDING_RUN } from '../task/action-run.js';
import type { JournalEntry } from '../task/journal.js';
import { type Codec, codecOf, JSON_OBJECTS, JSON_ROWS } from './codec.js';
import { ENTRY, RUN } from './task-members.js';

const BASE = 1_700_000_000_000;

/** Another value of each member than a fresh run has. */
const OTHERS: ActionRun = {
  state: 'running',
  code: 2,
  error: 'QUOTA',
  message: 'half of \ud83d',
  startedAt: BASE + 7,
  endedAt: -1,
  attempts: 1,
  refused: 2,
  spent: 3,
  crashes: 4,
  dispatches: 5,
  dueAt: Infinity,
  orderAt: BASE - 0.5,
  deadline: Infinity,
  expiresAt: BASE + 9,
  look: 'again',
  lease: { owner: 'o', token: 1 },
  output: { state: 'none' },
  values: {},
  unheld: 6,
  expired: {
    token: 1,
    isHandedBack: true,
    unheld: 2,
    counted: { attempts: 1, spent: 1, crashes: 2, unheld: 3 },
  },
};

describe.each([
  ['objects', JSON_OBJECTS],
  ['rows', JSON_ROWS],
])('a run in JSON as %s', (_shape, medium) => {
  const runs = codecOf(RUN, medium);
  const throughJson = (run: ActionRun): ActionRun =>
    runs.read(JSON.parse(JSON.stringify(runs.write(run, BASE))), BASE);

  it('is the very same object where it has not begun', () => {
    for (const run of FRESH_RUNS) expect(throughJson(run)).toEqual(run);
    expect(throughJson(PENDING_RUN)).toBe(PENDING_RUN);
    expect(throughJson(NOTHING_TO_UNDO)).toBe(NOTHING_TO_UNDO);
  });

  it.each(Object.keys(OTHERS) as (keyof ActionRun)[])('tells of another %s', (member) => {
    const run = { ...PENDING_RUN, [member]: OTHERS[member] };
    expect(throughJson(run)).toEqual(run);
    expect(runs.write(run, BASE)).not.toEqual(runs.write({ ...PENDING_RUN }, BASE));
  });

  it('tells of all members at once', () => {
    expect(throughJson(OTHERS)).toEqual(OTHERS);
  });

  it.each([null, 7, 'running', undefined])('is left for the check where it is %p', (value) => {
    expect(runs.read(value, BASE)).toBe(value);
  });
});

const ENTRIES: Codec<JournalEntry> = codecOf(ENTRY, JSON_ROWS);

describe('a row', () => {
  it('has a number for each word, and times after its base', () => {
    const done = { ...PENDING_RUN, state: 'succeeded', startedAt: BASE + 7 } as const;
    expect(codecOf(RUN, JSON_ROWS).write(done, BASE)).toEqual([0b10001, 4, 7]);
  });

  it('has a word that this build does not know as it is', () => {
    const entry = { seq: 1, at: BASE, kind: 'invented' } as unknown as JournalEntry;
    expect(ENTRIES.write(entry, BASE)).toEqual([0b111, 1, 0, 'invented']);
    expect(ENTRIES.read([0b111, 1, 0, 'invented'], BASE)).toEqual(entry);
  });

  it('has no member that an entry does not have', () => {
    const entry: JournalEntry = { seq: 1, at: BASE, kind: 'created' };
    expect(Object.keys(ENTRIES.read(ENTRIES.write(entry, BASE), BASE))).toEqual(Object.keys(entry));
  });
});
