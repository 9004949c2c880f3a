import { describe, expect, it } from '@jest/globals';
import { type ActionRun, FRESH_RUNS, NOTHING_TO_UNDO, PENDING_RUN } from '../task/action-run.js';
import { runOfShort, shortRunOf } from './short-run.js';

/** Another value of each member than a fresh run has. */
const OTHERS: ActionRun = {
  state: 'running',
  code: 2,
  error: 'QUOTA',
  message: 'half of \ud83d',
  startedAt: 1_700_000_000_000,
  endedAt: -1,
  attempts: 1,
  refused: 2,
  spent: 3,
  crashes: 4,
  dispatches: 5,
  dueAt: Infinity,
  orderAt: 0.5,
  deadline: Infinity,
  look: 'again',
  lease: { owner: 'o', token: 1 },
  output: { state: 'none' },
  values: {},
};

const throughJson = (run: ActionRun): ActionRun =>
  runOfShort(JSON.parse(JSON.stringify(shortRunOf(run))));

describe('the short form of a run', () => {
  it('is the state of one that has not begun', () => {
    for (const run of FRESH_RUNS) expect(throughJson(run)).toEqual(run);
    expect(throughJson(PENDING_RUN)).toBe(PENDING_RUN);
    expect(throughJson(NOTHING_TO_UNDO)).toBe(NOTHING_TO_UNDO);
  });

  it.each(Object.keys(OTHERS) as (keyof ActionRun)[])('tells of another %s', (member) => {
    const run = { ...PENDING_RUN, [member]: OTHERS[member] };
    expect(throughJson(run)).toEqual(run);
    expect(shortRunOf(run)).not.toEqual(shortRunOf({ ...PENDING_RUN }));
  });

  it('tells of all members at once', () => {
    expect(throughJson(OTHERS)).toEqual(OTHERS);
  });
});

it.each([null, 7, 'running', undefined])('%p is left for the check of the task', (value) => {
  expect(runOfShort(value)).toBe(value);
});
