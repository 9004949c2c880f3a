import { describe, expect, it } from '@jest/globals';
import type { TaskEvent } from '../client/types.js';
import { replayTask } from './replay.js';
import { rolledBack } from './sample-tasks-spec.js';

describe('replayTask', () => {
  const [check, init, deduct] = ['check_resource', 'init_instance', 'deduct_resource'];
  const events = [
    ['created'],
    ['started', check],
    ['succeeded', check],
    ['started', init],
    ['succeeded', init],
    ['started', deduct],
    ['failed', deduct],
    ['turned_back'],
    ['started', deduct, 'rollback'],
    ['succeeded', deduct, 'rollback'],
    ['started', init, 'rollback'],
    ['succeeded', init, 'rollback'],
    ['started', check, 'rollback'],
    ['succeeded', check, 'rollback'],
    ['task_rolled_back'],
  ].map(([kind = '', step, direction = 'normal'], index) => ({
    seq: index + 1,
    at: new Date(1_700_000_000_000 + index).toISOString(),
    kind,
    actor: 'backstep',
    ...(step !== undefined && { step, direction, attempt: 1 }),
  })) as TaskEvent[];
  const pictures = replayTask(rolledBack, events);

  const states = (index: number): string[] =>
    pictures[index]?.steps.map(({ normal, rollback }) => `${normal.state}/${rollback?.state}`) ??
    [];

  it('starts with nothing done and ends with the task as it is', () => {
    expect(pictures).toHaveLength(events.length + 1);
    expect(states(0)).toEqual(['pending/none', 'pending/none', 'pending/none']);
    expect(pictures.at(-1)).toBe(rolledBack);
  });

  it('shows each step in turn', () => {
    expect(states(4)).toEqual(['succeeded/none', 'running/none', 'pending/none']);
    expect(pictures[4]?.status).toBe('running');
  });

  it('shows what is to be undone, and undoes it last first', () => {
    expect(states(8)).toEqual(['succeeded/pending', 'succeeded/pending', 'failed/pending']);
    expect(states(11)).toEqual(['succeeded/pending', 'succeeded/running', 'failed/succeeded']);
    expect(pictures[11]?.status).toBe('rolling_back');
  });
});
