import { describe, expect, it } from '@jest/globals';
import type { Step, Task } from '../api/shapes.js';
import { blockingStep, lastingStep, standingOf } from './standing.js';
import { standsStill } from './steps.js';
import { ran, step, task, undo } from './task-spec.js';

const waiting = (more: Partial<Step>): Step =>
  step('b', { state: 'waiting', attempts: 1, ...more });
const failing: Partial<Step> = { code: 1, message: 'no room', attempts: 25 };

type Told = Task['awaits'];

function awaited(kind: 'signal' | 'completion' | 'time'): Told {
  return { kind, attempts: 0 };
}

/** The words on the badge of a task, by the step under way in it and what the task awaits. */
const SAID: readonly (readonly [words: string, open: Step, told: Told])[] = [
  ['Retrying 25', waiting(failing), { kind: 'retry', attempts: 25 }],
  ['Waits for a signal', waiting({ kind: 'wait', waitsFor: 'signal' }), awaited('signal')],
  ['Waits for completion', waiting({ waitsFor: 'completion' }), awaited('completion')],
  ['Waits until its time', waiting({ kind: 'wait' }), awaited('time')],
  ['Running', step('b', { state: 'running', attempts: 1 }), null],
];
/** Words of tasks in which nothing goes on until somebody outside acts. */
const STILL = new Set(['Waits for a signal', 'Waits for completion']);

describe('the badge of a task', () => {
  it.each(SAID)('says %s', (words, open, awaits) => {
    const own = task('running', [ran('a', 1), open], { awaits });
    expect(standingOf(own).words).toBe(words);
    expect(blockingStep(own)).toBe(words === 'Running' ? null : 'b');
    expect(standsStill(own)).toBe(STILL.has(words));
  });

  it('says what a person has to do before all else, also in a list', () => {
    const approvals = [{ step: 'ask', title: 'Sure?', roles: [], since: 1 }];
    expect(standingOf({ status: 'running', approvals, awaits: null }).words).toBe(
      'Waits for approval',
    );
    expect(standingOf({ status: 'terminated', approvals, awaits: null }).words).toBe('Terminated');
    const asks = step('ask', { state: 'waiting', waitsFor: 'approval' });
    const own = task('running', [waiting(failing), asks], { approvals });
    expect(standingOf(own).words).toBe('Waits for approval');
    expect(blockingStep(own)).toBe('ask');
  });

  it('says that an undo fails again and again', () => {
    const back = { ...undo('waiting'), ...failing, attempts: 4 };
    const awaits = { kind: 'retry', attempts: 4 } as const;
    const own = task('rolling_back', [ran('a', 1, { rollback: back })], { awaits });
    expect(standingOf(own).words).toBe('Undo retrying 4');
    expect(blockingStep(own)).toBe('a');
  });

  it('says what lies outside of a task that is queued', () => {
    const own = task('running', [step('b', { state: 'queued' })]);
    expect(standingOf(own, [{ code: 'MODULE_NOT_SERVED' }]).words).toBe('Waits for executor');
    expect(standingOf(own, [{ code: 'QUEUED' }]).words).toBe('Running');
  });

  it('is the status of a task that has ended or waits for a decision', () => {
    for (const [status, words] of [
      ['succeeded', 'Succeeded'],
      ['on_hold', 'On hold'],
    ] as const) {
      const own = task(status, [ran('a', 1)]);
      expect(standingOf(own).words).toBe(words);
      expect(standsStill(own)).toBe(true);
    }
  });
});

describe('the step that a page shows of a task that moves', () => {
  const moving = (timeStart: number) =>
    task('running', [ran('a', 1), step('b', { state: 'running', timeStart }), step('c')]);

  it('has run for a while, so that quick ones do not take turns', () => {
    expect(lastingStep(moving(10), 12)).toBe('');
    expect(lastingStep(moving(10), 15)).toBe('b');
    const back = ran('a', 1, { rollback: { ...undo('running'), timeStart: 10 } });
    expect(lastingStep(task('rolling_back', [back]), 30)).toBe('a');
  });

  it('is none once the task has ended', () => {
    expect(lastingStep({ ...moving(10), status: 'terminated' }, 30)).toBe('');
  });
});
