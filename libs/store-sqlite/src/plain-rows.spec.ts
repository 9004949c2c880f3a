import { describe, expect, it } from '@jest/globals';
import { type ActionRun, type JournalEntry, PENDING_RUN } from '#core';
import { decodeJournal, encodeEntries } from './journal-codec.js';
import { fromRunRow, RUN_TEXT_MAX, type RunRow, toRunRow } from './run-codec.js';

const createdAt = 1_795_000_000_000;
const output = { text: 'x'.repeat(RUN_TEXT_MAX) };

const running: ActionRun = {
  ...PENDING_RUN,
  state: 'running',
  startedAt: createdAt + 7,
  attempts: 1,
  spent: 1,
  dispatches: 1,
  dueAt: createdAt + 330_007,
  deadline: createdAt + 300_007,
  lease: { owner: 'standalone-1', token: 4 },
};
const { dueAt, lease } = PENDING_RUN;
const endedAt = createdAt + 14;
const done: ActionRun = { ...running, state: 'succeeded', endedAt, dueAt, lease };

/** Another value for each member of a run. */
const CHANGES: Partial<ActionRun> = {
  code: 3,
  error: 'QUOTA',
  message: 'no host',
  startedAt: null,
  endedAt: createdAt + 1,
  attempts: 2,
  refused: 1,
  spent: 0,
  crashes: 1,
  dispatches: 2,
  dueAt: createdAt + 2,
  orderAt: createdAt - 5,
  deadline: null,
  look: 'again',
  lease: { owner: 'standalone-2', token: 5 },
  output: { id: 'db-1' },
  values: { size: 3 },
};

function again(run: ActionRun, isSlim = false): ActionRun {
  const row = JSON.parse(JSON.stringify(toRunRow(run, createdAt, isSlim))) as RunRow;
  return fromRunRow(row, { createdAt, besideOutput: () => output });
}

describe('the stored row of a run', () => {
  it('is short while a first attempt runs and once it has succeeded', () => {
    expect(toRunRow(running, createdAt)).toEqual([7, 330_007, 300_007, 'standalone-1', 4]);
    expect(toRunRow(done, createdAt)).toEqual([7, 14, 300_007]);
    const { output: given } = CHANGES;
    expect(toRunRow({ ...done, output: given! }, createdAt)).toEqual([7, 14, 300_007, given]);
  });

  it.each([
    ['runs', running],
    ['has succeeded', done],
  ])('gives back a run that %s, whichever of its members is another', (_state, run) => {
    expect(again(run)).toEqual(run);
    for (const [member, value] of Object.entries(CHANGES)) {
      const changed = { ...run, [member]: value };
      expect(again(changed)).toEqual(changed);
    }
    expect(again({ ...run, state: 'waiting' })).toEqual({ ...run, state: 'waiting' });
  });

  it('tells that its output is kept beside', () => {
    const run = { ...done, output };
    expect(JSON.stringify(toRunRow(run, createdAt, true)).length).toBeLessThan(30);
    expect(again(run, true)).toEqual(run);
  });

  it.each([[[7]], [[7, 8]], [[7, 8, 9, 'a', 1, 2]]])('is refused where it is %j', (row) => {
    const context = { createdAt, besideOutput: () => output };
    expect(() => fromRunRow(row as unknown as RunRow, context)).toThrow('too few or too many');
  });
});

const started: JournalEntry = {
  seq: 2,
  at: createdAt + 7,
  kind: 'started',
  step: 'one',
  direction: 'normal',
  attempt: 1,
  actor: 'standalone-1',
};
const { actor: _nobody, ...rest } = started;
const succeeded: JournalEntry = { ...rest, seq: 3, kind: 'succeeded' };

/** Another value for each member of an entry; undefined: it is left out. */
const ENTRY_CHANGES: Partial<Record<keyof JournalEntry, unknown>> = {
  kind: 'failed',
  step: undefined,
  run: 'group[2]/one',
  direction: 'rollback',
  attempt: 2,
  actor: undefined,
  message: 'no host',
  code: 'FAILED',
  dueAt: createdAt + 9,
  refused: true,
  unapproved: true,
  stack: 'Error: no host\n    at order (host.ts:7:3)',
  intended: true,
};

function entryAgain(entry: JournalEntry): JournalEntry | undefined {
  const tail = encodeEntries([entry], { createdAt });
  return decodeJournal({ tail, segments: [], createdAt, fromSeq: 0 }).journal[0];
}

describe('the stored row of a journal entry', () => {
  it('is short where a first attempt began or succeeded', () => {
    expect(encodeEntries([started], { createdAt })).toBe('[2,7,1,"one","standalone-1"],');
    expect(encodeEntries([succeeded], { createdAt })).toBe('[3,7,0,"one"],');
  });

  it.each([
    ['began', started],
    ['succeeded', succeeded],
  ])('gives back that an attempt %s, whichever member is another', (_what, entry) => {
    expect(entryAgain(entry)).toEqual(entry);
    for (const [member, value] of Object.entries(ENTRY_CHANGES)) {
      const changed = { ...entry, [member]: value };
      if (value === undefined) delete changed[member as 'actor'];
      expect(entryAgain(changed)).toEqual(changed);
    }
  });

  it('is refused where its kind is an unknown number', () => {
    const source = { tail: '[3,7,5,"one"],', segments: [], createdAt, fromSeq: 0 };
    expect(() => decodeJournal(source)).toThrow('unknown kind');
  });
});
