import { expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import type { Task } from '../task/task.js';
import { type Moved, transition } from './transition.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
const plain = { timeoutMs: 60_000, attemptTimeoutMs: null, retry: NO_RETRY, parameters: null };
const action = (command: string): Action => {
  return { module: 'm', command, ...plain, onCrash: 'fail' };
};
const step = (name: string): StepPlan => ({
  name,
  needs: [],
  normal: action(name),
  rollback: action(`undo_${name}`),
});

function after(task: Task, event: TaskEvent): Moved {
  const decision = transition(task, event, { moment });
  if (decision.kind !== 'moved') throw new Error(decision.kind);
  return decision;
}

it('what a lost lease queues is sent once, wherever its step stands', () => {
  const steps = [step('a'), step('b')];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: 't', moment };
  const created = createTask({ definition, version: 1 }, { parameters: {} }, options).task;
  const lease = { attempt: 1, owner: 'former life' };
  const a = after(created, { kind: 'claimed', direction: 'normal', step: 0, ...lease }).task;
  const b = after(a, { kind: 'claimed', direction: 'normal', step: 1, ...lease }).task;
  const done = { kind: 'succeeded', direction: 'normal', step: 1, token: 2, output: null } as const;
  const moved = after(after(b, done).task, { kind: 'restarted', owner: 'this life' });
  expect(moved.queued.map(({ action }) => action.command)).toEqual(['undo_a', 'undo_b']);
});
