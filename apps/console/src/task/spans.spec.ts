import { expect, it } from '@jest/globals';
import type { TaskEvent } from '../api/shapes.js';
import { spansOf } from './spans.js';
import { ran, step, undo } from './task-spec.js';

function event(kind: string, seconds: number, more: Partial<TaskEvent> = {}): TaskEvent {
  const at = new Date(seconds * 1_000).toISOString();
  return { seq: 1, at, kind, step: 'a', direction: 'normal', actor: 'x', ...more };
}

it('has each half that has begun, by when it did', () => {
  const back = { ...undo('running'), timeStart: 9 };
  const steps = [ran('b', 5), ran('a', 3, { rollback: back }), step('c')];
  expect(spansOf({ steps }, [])).toEqual([
    { id: 'a', direction: 'normal', state: 'succeeded', from: 3, to: 4 },
    { id: 'b', direction: 'normal', state: 'succeeded', from: 5, to: 6 },
    { id: 'a', direction: 'rollback', state: 'running', from: 9, to: null },
  ]);
});

it('takes milliseconds from the events', () => {
  const events = [event('started', 3.25), event('failed', 3.5), event('succeeded', 4.75)];
  expect(spansOf({ steps: [ran('a', 3)] }, events)).toMatchObject([{ from: 3.25, to: 4.75 }]);
});

it('keeps to the task where the events have lost the beginning', () => {
  const events = [event('started', 4.25, { attempt: 2 }), event('succeeded', 4.75)];
  expect(spansOf({ steps: [ran('a', 3)] }, events)).toMatchObject([{ from: 3, to: 4.75 }]);
});
