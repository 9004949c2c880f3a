import { expect, it } from '@jest/globals';
import { endedTask } from './create-task.js';
import { DEFAULT_TIMING } from '../task/event.js';
import { taskFault } from '../stored/task-shape.js';

it('a task that is ended before it began has done nothing, also of a flow that ends at once', () => {
  const steps = [{ name: 'a', needs: [], set: { b: 1 }, rollback: null }];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const moment = { now: 5, chance: 0, timing: DEFAULT_TIMING };
  const options = { taskId: 't', moment, reason: 'too late' };
  const task = endedTask({ definition, version: 1 }, { parameters: {} }, options);
  expect(task).toMatchObject({ revision: 1, outcome: 'terminated', message: 'too late' });
  expect(task.runs[0]?.normal.state).toBe('pending');
  expect(taskFault(task)).toBeNull();
});
