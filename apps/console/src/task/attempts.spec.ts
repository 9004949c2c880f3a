import { expect, it } from '@jest/globals';
import type { TaskEvent } from '../api/shapes.js';
import { attemptsOf } from './attempts.js';

let seq = 0;
function event(kind: string, more: Partial<TaskEvent> = {}): TaskEvent {
  seq += 1;
  const at = new Date(seq * 1_000).toISOString();
  return { seq, at, kind, step: 'a', direction: 'normal', actor: 'backstep', ...more };
}

const FORWARD = { run: 'a', direction: 'normal' };

it('tells each start with its executor and how it ended', () => {
  const attempts = attemptsOf(
    [
      event('started', { attempt: 1, actor: 'x1' }),
      event('failed', { attempt: 1, message: 'no host', stack: 'Error: no host' }),
      event('retry_scheduled', { attempt: 1 }),
      event('started', { attempt: 2, actor: 'x2' }),
    ],
    FORWARD,
  );
  expect(attempts).toMatchObject([
    { number: 1, executor: 'x1', outcome: 'failed', message: 'no host', stack: 'Error: no host' },
    { number: 2, executor: 'x2', end: null, outcome: null, message: null, stack: null },
  ]);
});

it('keeps to one run and one direction', () => {
  const events = [
    event('started', { attempt: 1 }),
    event('started', { attempt: 1, direction: 'rollback', actor: 'back' }),
    event('started', { attempt: 1, run: 'a~2', actor: 'again' }),
    event('succeeded', { attempt: 1 }),
  ];
  expect(attemptsOf(events, FORWARD)).toMatchObject([{ outcome: 'succeeded' }]);
  const back = { run: 'a', direction: 'rollback' };
  expect(attemptsOf(events, back)).toMatchObject([{ executor: 'back', outcome: null }]);
  const again = { run: 'a~2', direction: 'normal' };
  expect(attemptsOf(events, again)).toMatchObject([{ executor: 'again' }]);
});

it('tells an attempt by its end where the journal has lost its start', () => {
  const events = [
    event('failed', { attempt: 7, message: 'late' }),
    event('started', { attempt: 8 }),
  ];
  expect(attemptsOf(events, FORWARD)).toMatchObject([
    { number: 7, start: null, executor: null, outcome: 'failed', message: 'late' },
    { number: 8, end: null },
  ]);
});

it('has no attempt for what was called off before it began', () => {
  expect(attemptsOf([event('called_off')], FORWARD)).toEqual([]);
});
