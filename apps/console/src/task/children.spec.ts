import { describe, expect, it } from '@jest/globals';
import type { Summary } from '../api/shapes.js';
import { type Child, countsOf, groupOf, inOrder, itemOf, laterOf } from './children.js';
import { task } from './task-spec.js';

const PARENT = '01a21eea-93bf-7550-b0b4-b32f00c2fd7c';

function child(index: number, status: string, taskMessage: string | null = null): Summary {
  const parent = { taskId: PARENT, step: 'each', index };
  return { ...task(status, []), taskId: `c${index}`, taskMessage, parent };
}

describe('the child tasks of a step', () => {
  const failed = child(16, 'rolled_back', 'step check failed: the host is bad');
  const undone = child(1, 'rolled_back', `undone by task ${PARENT}: it rolls back`);
  const called = child(2, 'rolled_back', `rolled back by task ${PARENT}: it rolls back`);
  const asks = {
    ...child(9, 'running'),
    approvals: [{ step: 'a', title: '', roles: [], since: 1 }],
  };
  const all: readonly Child[] = [undone, child(5, 'succeeded'), asks, called, failed];

  it('are those that failed first, then those that wait for a person, by their items', () => {
    expect(inOrder(all).map(itemOf)).toEqual([16, 9, 5, 1, 2]);
  });

  it('count as failed only where they failed by themselves', () => {
    expect([...countsOf(all)]).toEqual([
      ['undone', 2],
      ['succeeded', 1],
      ['person', 1],
      ['failed', 1],
    ]);
    expect(groupOf(child(3, 'rollback_failed'))).toBe('failed');
    expect(groupOf(child(3, 'on_hold'))).toBe('person');
    expect(groupOf(child(3, 'not_started'))).toBe('running');
    expect(groupOf(child(3, 'terminated'))).toBe('ended');
  });
});

it('keeps the later word about a child task, whichever comes last', () => {
  const [before, after] = [child(1, 'running'), { ...child(1, 'succeeded'), revision: 2 }];
  expect(laterOf(after, before)).toBe(after);
  expect(laterOf(before, after)).toBe(after);
  expect(laterOf(undefined, before)).toBe(before);
});
