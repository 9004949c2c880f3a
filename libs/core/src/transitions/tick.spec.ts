import { describe, expect, it } from '@jest/globals';
import { type Action, NO_RETRY } from '../flow/action.js';
import { createTask } from './create-task.js';
import { DEFAULT_TIMING, type TaskEvent } from '../task/event.js';
import type { Task } from '../task/task.js';
import { transition } from './transition.js';

const TIMEOUT_MS = 60_000;
const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
const overdueAt = moment.now + TIMEOUT_MS + DEFAULT_TIMING.overdueAfterMs;

const action: Action = {
  module: 'm',
  command: 'a',
  timeoutMs: TIMEOUT_MS,
  attemptTimeoutMs: null,
  retry: NO_RETRY,
  onCrash: 'fail',
  parameters: null,
};

function running(): Task {
  const steps = [{ name: 'a', needs: [], normal: action, rollback: null }];
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const options = { taskId: 't', moment };
  const { task } = createTask({ definition, version: 1 }, { parameters: {} }, options);
  const claim = { attempt: 1, owner: 'session' };
  return after(task, { kind: 'claimed', direction: 'normal', step: 0, ...claim });
}

function decide(task: Task, event: TaskEvent, now = moment.now) {
  return transition(task, event, { moment: { ...moment, now } });
}

function after(task: Task, event: TaskEvent, now = moment.now): Task {
  const decision = decide(task, event, now);
  if (decision.kind !== 'moved') throw new Error(decision.kind);
  return decision.task;
}

const tick = (...ended: readonly string[]): TaskEvent => {
  return { kind: 'tick', crowded: new Map(), ended: new Set(ended) };
};

describe('a running action', () => {
  it('is left alone while its session lives, however long it runs', () => {
    expect(decide(running(), tick('another'), overdueAt - 1).kind).toBe('ignored');
  });

  it('wakes nobody before it is past its deadline', () => {
    expect(running().wakeAt).toBe(overdueAt);
  });

  it('loses its lease at once when its session has ended', () => {
    const task = after(running(), tick('session'));
    expect(task.journal.entries().map(({ kind }) => kind)).toContain('lease_lost');
    expect(task.runs[0]?.normal).toMatchObject({ state: 'failed', lease: null });
  });

  it('that is past its deadline is looked at again later while its session lives', () => {
    const task = after(running(), tick(), overdueAt);
    expect(task.runs[0]?.normal).toMatchObject({ state: 'running', lease: { owner: 'session' } });
    expect(task.wakeAt).toBe(overdueAt + DEFAULT_TIMING.overdueAfterMs);
    expect(task.journalSeq).toBe(running().journalSeq);
  });
});
