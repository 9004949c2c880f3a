import { describe, expect, it } from '@jest/globals';
import { type ActionRun, PENDING_RUN } from '../task/action-run.js';
import { awaitedBy, awaitedText, readAwaited } from './awaited.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { DocumentFault } from '../json/shape.js';
import { TASK_STATUS } from '../task/status.js';
import type { Task } from '../task/task.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };
const normal: StepPlan['normal'] = {
  module: 'm',
  command: 'c',
  parameters: {},
} as unknown as StepPlan['normal'];
const COMMAND = { name: 'do', needs: [], normal, rollback: null } as StepPlan;
const ASK = {
  name: 'ask',
  needs: [],
  approve: { title: 'Sure?', roles: [], timeoutMs: null, onTimeout: 'fail' },
  rollback: null,
} as StepPlan;
const LISTEN = {
  name: 'listen',
  needs: [],
  wait: { signal: 'go', timeoutMs: null, onTimeout: 'fail' },
  rollback: null,
} as unknown as StepPlan;
const SLEEP = { name: 'sleep', needs: [], wait: { ms: 5 }, rollback: null } as unknown as StepPlan;
const FAILED = { code: 1, message: 'no room' } as const;
const WAITING = { state: 'waiting' } as const;
const RUNNING = { state: 'running', lease: { session: 's', token: 1 } as never } as const;

type Part = readonly [step: StepPlan, run: Partial<ActionRun>];

/** A running task of steps without needs, each in the middle of its run. */
function taskOf(parts: readonly Part[]): Task {
  const steps = parts.map(([step], n): StepPlan => ({ ...step, name: `${step.name}-${n}` }));
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const { task } = createTask(
    { definition, version: 1 },
    { parameters: {} },
    { taskId: 't', moment },
  );
  const runs = parts.map(([, run]) => {
    return { generation: 1, normal: { ...PENDING_RUN, attempts: 1, ...run }, rollback: null };
  });
  return { ...task, status: TASK_STATUS.running, runs, index: null };
}

const TOLD: readonly (readonly [text: string | null, ...parts: Part[]])[] = [
  ['retry 25', [COMMAND, { ...WAITING, ...FAILED, attempts: 25 }]],
  ['retry 3', [COMMAND, { ...RUNNING, ...FAILED, attempts: 3 }]],
  ['retry 4', [COMMAND, { ...WAITING, ...FAILED, attempts: 4 }], [COMMAND, RUNNING]],
  ['signal', [LISTEN, WAITING]],
  ['completion', [COMMAND, { ...WAITING, look: 'outside' }], [LISTEN, WAITING]],
  ['time', [SLEEP, WAITING]],
  ['signal', [SLEEP, WAITING], [LISTEN, WAITING]],
  [null, [SLEEP, WAITING], [COMMAND, RUNNING]],
  [null, [LISTEN, WAITING], [COMMAND, { state: 'queued' }]],
  [null, [COMMAND, RUNNING]],
  // A person has to act, which approvals tell.
  [null, [ASK, WAITING]],
];

describe('the event that a task waits for', () => {
  it.each(TOLD)('is %s', (text, ...parts) => {
    expect(awaitedText(taskOf(parts))).toBe(text);
  });

  it('is that of many steps side by side', () => {
    const many = Array.from({ length: 100 }, (): Part => [LISTEN, WAITING]);
    expect(awaitedText(taskOf(many))).toBe('signal');
    expect(awaitedText(taskOf([...many, [COMMAND, RUNNING]]))).toBeNull();
  });

  it('is none of a task that a person holds, or that has ended', () => {
    const task = taskOf([[COMMAND, { ...WAITING, ...FAILED, attempts: 2 }]]);
    for (const status of ['on_hold', 'paused', 'terminated', 'rollback_failed'] as const) {
      expect(awaitedBy({ ...task, status: TASK_STATUS[status] })).toBeNull();
    }
  });

  it('is read as it was written, and anything else is refused', () => {
    const { running, succeeded } = TASK_STATUS;
    for (const [, ...parts] of TOLD) {
      const task = taskOf(parts);
      expect(readAwaited(awaitedText(task), running)).toEqual(awaitedBy(task));
    }
    for (const text of ['', 'nothing', 'retry 0', 'retry -1', 'signal\n', 7]) {
      expect(() => readAwaited(text, running)).toThrow(DocumentFault);
    }
    // Left behind by a build that does not write it.
    expect(readAwaited('retry 4', succeeded)).toBeNull();
  });
});
