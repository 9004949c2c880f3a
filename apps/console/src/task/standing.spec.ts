import { describe, expect, it } from '@jest/globals';
import type { Step } from '../api/shapes.js';
import { blockingStep, standingOf } from './standing.js';
import { standsStill } from './steps.js';
import { ran, step, task, undo } from './task-spec.js';

const waiting = (more: Partial<Step>): Step =>
  step('b', { state: 'waiting', attempts: 1, ...more });
const failing: Partial<Step> = { code: 1, message: 'no room', attempts: 25 };

/** The words on the badge of a task, by the step under way in it. */
const SAID: readonly (readonly [words: string, open: Step, isStill: boolean])[] = [
  ['Retrying 25', waiting(failing), false],
  ['Retrying 26', waiting({ ...failing, state: 'running', attempts: 26 }), false],
  ['Waits for a signal', waiting({ kind: 'wait', waitsFor: 'signal' }), true],
  ['Waits for completion', waiting({ waitsFor: 'completion' }), true],
  ['Waits until its time', waiting({ kind: 'wait' }), false],
  ['Running', step('b', { state: 'running', attempts: 1 }), false],
];

describe('the badge of a task', () => {
  it.each(SAID)('says %s', (words, open, isStill) => {
    const own = task('running', [ran('a', 1), open]);
    expect(standingOf(own).words).toBe(words);
    expect(blockingStep(own)).toBe(words === 'Running' ? null : 'b');
    expect(standsStill(own)).toBe(isStill);
  });

  it('says what a person has to do before all else, also in a list', () => {
    const approvals = [{ step: 'ask', title: 'Sure?', roles: [], since: 1 }];
    expect(standingOf({ status: 'running', approvals }).words).toBe('Waits for approval');
    expect(standingOf({ status: 'terminated', approvals }).words).toBe('Terminated');
    const asks = step('ask', { state: 'waiting', waitsFor: 'approval' });
    const own = task('running', [waiting(failing), asks], { approvals });
    expect(standingOf(own).words).toBe('Waits for approval');
    expect(blockingStep(own)).toBe('ask');
  });

  it('says that an undo fails again and again', () => {
    const back = { ...undo('waiting'), ...failing, attempts: 4 };
    const own = task('rolling_back', [ran('a', 1, { rollback: back })]);
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
