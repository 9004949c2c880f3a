import { describe, expect, it } from '@jest/globals';
import type { Step, TaskEvent } from '../api/shapes.js';
import { earlierTries } from './earlier-tries.js';
import { step } from './task-spec.js';

function failed(run: string, message: string, kind = 'failed'): TaskEvent {
  const at = '2026-01-01T00:00:00.000Z';
  return { seq: 1, at, actor: 'p', kind, step: run, direction: 'normal', message };
}

const group = (name: string): Step => {
  const scopes = [{ kind: 'try', name, way: 'forward', steps: [] }] as Step['scopes'] & {};
  return step('order', { kind: 'group', scopes });
};

describe('the tries of a group before the present one', () => {
  it('are told by the step that failed last in each', () => {
    const events = [
      failed('order#1/a', 'no host'),
      failed('order#1/b', 'no room'),
      failed('order#2/a', 'too late', 'timed_out'),
      failed('order#3/a', 'of the present try'),
      failed('other#1/a', 'of another step'),
      failed('order#1/c', 'not a failure', 'succeeded'),
    ];
    expect(earlierTries(group('3'), events)).toEqual([
      { name: '1', run: 'order#1/b', message: 'no room' },
      { name: '2', run: 'order#2/a', message: 'too late' },
    ]);
  });

  it('are none of a step without tries', () => {
    expect(earlierTries(step('a'), [failed('a#1/x', 'no')])).toEqual([]);
  });
});
