import { expect, it } from '@jest/globals';
import { stepsOf, stepsText } from './builds.js';
import { readOptions } from './options.js';

const ROWS = [
  { name: 'rate', unit: 'tasks/s', metric: 'tasks', better: 'more' },
  { name: 'rate again', unit: 'steps/s', metric: 'tasks', better: 'more' },
  { name: 'time', unit: 'ms', metric: 'ms', better: 'less' },
] as const;

it('compares neighbours, so that a machine that slows down changes nothing', () => {
  const speeds = [100, 80, 50, 20, 10];
  const before = speeds.map((tasks) => ({ tasks, ms: 100 / tasks }));
  const now = speeds.map((tasks) => ({ tasks: tasks * 0.9, ms: 50 / tasks }));
  const steps = stepsOf(ROWS, before, now);
  expect(steps).toEqual([
    { name: 'tasks', before: 50, now: 45, ratio: 0.9, range: [0.9, 0.9] },
    { name: 'ms', before: 2, now: 1, ratio: 2, range: [2, 2] },
  ]);
  expect(stepsText(steps)).toContain('tasks  0.90x (0.90 .. 0.90)  50.00 before, 45.00 now');
});

it('leaves out what only one of them measures', () => {
  expect(stepsOf(ROWS, [{ tasks: 1 }], [{ ms: 1 }])).toEqual([]);
  expect(stepsText([])).toContain('nothing to compare');
});

it('takes turns of a second, as many as are asked for', () => {
  const { sizes } = readOptions(['--before', '../older']);
  expect(sizes).toMatchObject({ rounds: 20, roundMs: 1_000, warmUpMs: 5_000 });
  expect(readOptions(['--before', '../older', '--rounds', '3']).sizes.rounds).toBe(3);
});
