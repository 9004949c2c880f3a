import { expect, it } from '@jest/globals';
import { failingSteps } from './failing-steps.js';

it('steps that fail are counted by flow and name, with the newest task of each', () => {
  const failed = (taskId: string, flow: string, step: string | null) => ({
    taskId,
    flow,
    taskMessage: `${step} failed`,
    lastError: { step, code: 'FAILED', message: null },
  });
  const tasks = [
    failed('4', 'a', 'charge'),
    failed('3', 'b', 'charge'),
    { taskId: '9', reason: 'it cannot be read' },
    { taskId: '8', flow: 'a', lastError: null },
    failed('2', 'b', 'charge'),
    failed('1', 'b', null),
  ];
  expect(failingSteps(tasks)).toEqual([
    { flow: 'b', step: 'charge', count: 2, newest: { taskId: '3', taskMessage: 'charge failed' } },
    { flow: 'a', step: 'charge', count: 1, newest: { taskId: '4', taskMessage: 'charge failed' } },
    { flow: 'b', step: null, count: 1, newest: { taskId: '1', taskMessage: 'null failed' } },
  ]);
});
