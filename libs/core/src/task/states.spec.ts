import { describe, expect, it } from '@jest/globals';
import { mayMove, NORMAL_MOVES, ROLLBACK_MOVES, TASK_MOVES } from './states.js';
import { isFinal, statusName, TASK_STATUS, TASK_STATUS_NAMES, type TaskStatus } from './status.js';
import type { RunState } from './action-run.js';

const tables = { normal: NORMAL_MOVES, rollback: ROLLBACK_MOVES };
const all = [
  ...new Set(Object.values(tables).flatMap((table) => Object.keys(table))),
] as RunState[];

describe('the tables of moves', () => {
  it('answer for every pair of states', () => {
    for (const direction of ['normal', 'rollback'] as const) {
      const table: Readonly<Record<string, readonly string[]>> = tables[direction];
      for (const from of all) {
        for (const to of all) {
          expect(mayMove(direction, from, to)).toBe(table[from]?.includes(to) ?? false);
        }
      }
    }
  });

  it('name only states that the same table knows', () => {
    for (const table of Object.values(tables)) {
      const known = Object.keys(table);
      for (const targets of Object.values(table))
        expect(known).toEqual(expect.arrayContaining([...targets]));
    }
  });

  it('let every state of a step be reached from its first one', () => {
    expect(reachable(NORMAL_MOVES, 'pending')).toEqual(new Set(Object.keys(NORMAL_MOVES)));
    expect(reachable(ROLLBACK_MOVES, 'none')).toEqual(new Set(Object.keys(ROLLBACK_MOVES)));
  });

  it('let only a reset leave a final status, and every other status reach one', () => {
    expect(TASK_MOVES[TASK_STATUS.succeeded]).toEqual([TASK_STATUS.rolling_back]);
    expect(TASK_MOVES[TASK_STATUS.rolled_back]).toEqual([TASK_STATUS.running]);
    expect(TASK_MOVES[TASK_STATUS.terminated]).toEqual([]);
    for (const name of TASK_STATUS_NAMES) {
      const status = TASK_STATUS[name];
      const ends = [...reachable(TASK_MOVES, String(status))].map(Number);
      expect(ends.some((end) => isFinal(end as TaskStatus))).toBe(true);
      expect(statusName(status)).toBe(name);
    }
  });

  it('keep the public numbers of status', () => {
    expect(TASK_STATUS).toEqual({
      succeeded: 0,
      not_started: 1,
      running: 2,
      rolling_back: 3,
      rolled_back: 4,
      rollback_failed: 5,
      terminated: 6,
      on_hold: 7,
      paused: 8,
    });
  });
});

function reachable(
  table: Readonly<Record<string, readonly (string | number)[]>>,
  first: string,
): Set<string> {
  const seen = new Set([first]);
  for (const state of seen) for (const next of table[state] ?? []) seen.add(String(next));
  return seen;
}
