import { describe, expect, it } from '@jest/globals';
import { PENDING_RUN } from '../task/action-run.js';
import { approvalsAsked, readWait, waitsForPerson, waitText } from './approvals.js';
import { createTask } from '../transitions/create-task.js';
import { DEFAULT_TIMING } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { SEAL_MARK } from '../secrets/sealed-value.js';
import { DocumentFault } from '../json/shape.js';
import { TASK_STATUS } from '../task/status.js';
import type { Task } from '../task/task.js';

const moment = { now: 1_000, chance: 0, timing: DEFAULT_TIMING };

function asking(title: string, count = 1): Task {
  const steps = Array.from({ length: count }, (_, n): StepPlan => {
    const approve = { title, roles: ['admin'], timeoutMs: null, onTimeout: 'fail' } as const;
    return { name: `ask-${n}`, needs: [], approve, rollback: null };
  });
  const definition = { name: 'f', description: null, input: null, timeoutMs: null, steps };
  const { task } = createTask(
    { definition, version: 1 },
    { parameters: {} },
    { taskId: 't', moment },
  );
  const normal = { ...PENDING_RUN, state: 'waiting', startedAt: 7, values: { title } } as const;
  const runs = steps.map(() => ({ generation: 1, normal, rollback: null }));
  return { ...task, status: TASK_STATUS.running, runs };
}

describe('what a task asks of a person', () => {
  it('is the question, who may answer, and since when', () => {
    const approval = { step: 'ask-0', title: 'Go on?', roles: ['admin'], since: 7 };
    expect(approvalsAsked(asking('Go on?'))).toEqual([approval]);
  });

  it('shows no secret', () => {
    const [approval] = approvalsAsked(asking(`Use ${SEAL_MARK}v1.0a1b2c3d.abc now?`));
    expect(approval?.title).toBe('Use *** now?');
  });

  it('is bounded', () => {
    const approvals = approvalsAsked(asking('x'.repeat(10_000), 50));
    expect(approvals).toHaveLength(10);
    expect(approvals[0]?.title).toHaveLength(300);
  });

  it('is nothing once the task is final', () => {
    const ended = { ...asking('Go on?'), status: TASK_STATUS.terminated };
    expect(approvalsAsked(ended)).toEqual([]);
    expect(waitText(ended)).toBeNull();
  });

  it('is read as it was written, and anything else is refused', () => {
    const task = asking('Go on?');
    expect(readWait(waitText(task))).toEqual(approvalsAsked(task));
    for (const text of ['', '{}', '[{"step":"a"}]', '[null]', 7]) {
      expect(() => readWait(text)).toThrow(DocumentFault);
    }
  });
});

describe('a task', () => {
  it.each(['rollback_failed', 'on_hold'] as const)('that is %s waits for a person', (status) => {
    expect(waitsForPerson({ approvals: [], status: TASK_STATUS[status] })).toBe(true);
  });

  it.each(['running', 'paused', 'succeeded'] as const)('that is %s waits for none', (status) => {
    expect(waitsForPerson({ approvals: [], status: TASK_STATUS[status] })).toBe(false);
  });
});
