import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { CommandStep, StepPlan } from '../flow/flow.js';
import { TASK_STATUS } from '../task/status.js';
import type { Task } from '../task/task.js';
import { transition } from './transition.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
const plain = {
  timeoutMs: 60_000,
  attemptTimeoutMs: null,
  onCrash: 'fail',
  parameters: null,
} as const;
const RETRY = { ...NO_RETRY, attempts: 3 };
const action = (command: string): Action => ({ module: 'm', command, ...plain, retry: RETRY });
const step = (name: string, needs: number[]): CommandStep => ({
  name,
  needs,
  normal: action(name),
  rollback: action(`undo_${name}`),
});

const REFUSAL = {
  kind: 'failed',
  terminal: true,
  failure: 'INVALID_PARAMETERS',
  refused: true,
  message: 'cpu must be a number',
} as const;
const FAILURE = { kind: 'failed', terminal: false, failure: 'FAILED', message: 'no' } as const;
const PERSON = { actor: 'p', reason: 'r', key: null } as const;

function newTask(steps: readonly StepPlan[] = [step('a', []), step('b', [0])]): Task {
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: 't', moment };
  return createTask({ definition, version: 1 }, { parameters: {} }, options).task;
}

function after(task: Task, event: TaskEvent): Task {
  const decision = transition(task, event, { moment });
  if (decision.kind !== 'moved') throw new Error(decision.kind);
  return decision.task;
}

function claim(task: Task, at: number, attempt = 1): Task {
  const claimed = { kind: 'claimed', direction: 'normal', step: at, attempt } as const;
  return after(task, { ...claimed, owner: 'e' });
}

const report = (task: Task, at: number) =>
  ({ direction: 'normal', step: at, token: task.runs[at]?.normal.lease?.token ?? 0 }) as const;

describe('an attempt that was refused before its command was entered', () => {
  it('had no effect: its step is not undone, and the rest of the task is', () => {
    const first = claim(newTask(), 0);
    const second = claim(after(first, { kind: 'succeeded', ...report(first, 0), output: null }), 1);
    const task = after(second, { ...REFUSAL, ...report(second, 1) });
    expect(task.status).toBe(TASK_STATUS.rolling_back);
    expect(task.runs.map(({ rollback }) => rollback?.state)).toEqual(['queued', 'none']);
    expect(task.runs[1]?.normal).toMatchObject({ state: 'failed', attempts: 1, refused: 1 });
  });

  it('ends a task of which nothing else ran at once, and says so in the journal', () => {
    const running = claim(newTask(), 0);
    const task = after(running, { ...REFUSAL, ...report(running, 0) });
    expect(task.status).toBe(TASK_STATUS.rolled_back);
    expect(task.journal.entries().find(({ kind }) => kind === 'failed')).toMatchObject({
      step: 'a',
      refused: true,
    });
  });

  it('does not speak for an attempt before it, which may have had an effect', () => {
    const first = claim(newTask(), 0);
    const second = claim(after(first, { ...FAILURE, ...report(first, 0) }), 0, 2);
    const task = after(second, { ...REFUSAL, ...report(second, 0) });
    expect(task.runs[0]?.normal).toMatchObject({ attempts: 2, refused: 1 });
    expect(task.runs[0]?.rollback?.state).toBe('queued');
  });

  it('is not a look that is refused: what it looks for was started', () => {
    const first = claim(newTask(), 0);
    const asked = after(first, { kind: 'not_finished', ...report(first, 0), afterMs: 0 });
    const looking = claim(after(asked, { kind: 'tick', crowded: new Map() }), 0);
    const task = after(looking, { ...REFUSAL, ...report(looking, 0) });
    expect(task.runs[0]?.normal).toMatchObject({ attempts: 1, refused: 0 });
    expect(task.runs[0]?.rollback?.state).toBe('queued');
    expect(task.journal.entries().some(({ refused }) => refused === true)).toBe(false);
  });

  it('takes its rollback off the way back that began while it ran', () => {
    const running = claim(newTask(), 0);
    const turned = after(running, { kind: 'rollback_requested', ...PERSON });
    expect(turned.runs[0]?.rollback?.state).toBe('pending');
    const task = after(turned, { ...REFUSAL, ...report(running, 0) });
    expect(task.runs[0]?.rollback?.state).toBe('none');
    expect(task.status).toBe(TASK_STATUS.rolled_back);
  });

  it('is not what a lost lease is: nobody knows what that came to', () => {
    const running = claim(
      newTask([{ ...step('a', []), normal: { ...action('a'), retry: NO_RETRY } }]),
      0,
    );
    const event = { kind: 'tick', crowded: new Map(), ended: new Set(['e']) } as const;
    const decision = transition(running, event, { moment });
    expect(decision).toMatchObject({ task: { runs: [{ rollback: { state: 'queued' } }] } });
  });
});
