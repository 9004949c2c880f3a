import { describe, expect, it } from '@jest/globals';
import { type ActionRun, FRESH_RUNS, NOTHING_TO_UNDO, PENDING_RUN } from '../task/action-run.js';
import type { JournalEntry } from '../task/journal.js';
import { codecOf, JSON_OBJECTS, rowsOf } from './codec.js';
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

const OBJECTS = codecOf(RUN, JSON_OBJECTS);
const ROWS = rowsOf(RUN);

describe.each([
  ['objects', (run: ActionRun) => JSON.stringify(OBJECTS.write(run, BASE)), OBJECTS],
  ['rows', (run: ActionRun) => ROWS.write(run, BASE), ROWS],
])('a run in JSON as %s', (_shape, write, runs) => {
  const throughJson = (run: ActionRun): ActionRun => runs.read(JSON.parse(write(run)), BASE);

  it('is the very same object where it has not begun', () => {
    for (const run of FRESH_RUNS) expect(throughJson(run)).toEqual(run);
    expect(throughJson(PENDING_RUN)).toBe(PENDING_RUN);
    expect(throughJson(NOTHING_TO_UNDO)).toBe(NOTHING_TO_UNDO);
  });

  it.each(Object.keys(OTHERS) as (keyof ActionRun)[])('tells of another %s', (member) => {
    const run = { ...PENDING_RUN, [member]: OTHERS[member] };
    expect(throughJson(run)).toEqual(run);
    expect(write(run)).not.toBe(write({ ...PENDING_RUN }));
  });

  it('tells of all members at once', () => {
    expect(throughJson(OTHERS)).toEqual(OTHERS);
  });

  it.each([null, 7, 'running', undefined])('is left for the check where it is %p', (value) => {
    expect(runs.read(value, BASE)).toBe(value);
  });
});

const ENTRIES = rowsOf(ENTRY);

describe('a row', () => {
  it('has a number for each word, and times after its base', () => {
    const done = { ...PENDING_RUN, state: 'succeeded', startedAt: BASE + 7 } as const;
    expect(ROWS.write(done, BASE)).toBe(JSON.stringify([0b10001, 4, 7]));
  });

  it('has a word that this build does not know as it is', () => {
    const entry = { seq: 1, at: BASE, kind: 'invented' } as unknown as JournalEntry;
    expect(ENTRIES.write(entry, BASE)).toBe(JSON.stringify([0b111, 1, 0, 'invented']));
    expect(ENTRIES.read([0b111, 1, 0, 'invented'], BASE)).toEqual(entry);
  });

  it('has no member that an entry does not have', () => {
    const entry: JournalEntry = { seq: 1, at: BASE, kind: 'created' };
    const read = ENTRIES.read(JSON.parse(ENTRIES.write(entry, BASE)), BASE);
    expect(Object.keys(read)).toEqual(Object.keys(entry));
  });
});
