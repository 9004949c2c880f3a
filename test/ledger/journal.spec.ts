import { describe, expect, it } from '@jest/globals';
import type { EventView, TaskView } from '../load/index.js';
import { journalFaults } from './journal.js';

const NEEDS = { first: [], left: ['first'], right: ['first'], last: ['left', 'right'] };
const TASK = {
  taskId: 't',
  status: 'succeeded',
  steps: Object.entries(NEEDS).map(([name, needs]) => ({ name, needs, rollback: null })),
} as unknown as TaskView;

function faultsOf(...steps: readonly string[]): readonly string[] {
  const events = steps.map((step, index) => {
    return { seq: index + 1, kind: 'succeeded', direction: 'normal', step };
  });
  return journalFaults(TASK, events as unknown as readonly EventView[]);
}

describe('the faults of a journal', () => {
  it('are none where steps beside each other end in any order', () => {
    expect(faultsOf('first', 'left', 'right', 'last')).toEqual([]);
    expect(faultsOf('first', 'right', 'left', 'last')).toEqual([]);
  });

  it('are steps that ended before what they need, directly or not', () => {
    const fault = (order: string) => [`task t: its steps succeeded in the order ${order}`];
    expect(faultsOf('first', 'last', 'left', 'right')).toEqual(fault('0,3,1,2'));
    expect(faultsOf('last', 'first')).toEqual(fault('3,0'));
  });

  it('are steps that succeeded twice', () => {
    expect(faultsOf('first', 'first')).toHaveLength(1);
  });
});
