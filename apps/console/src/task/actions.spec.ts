import { describe, expect, it } from '@jest/globals';
import type { Step } from '../api/shapes.js';
import { ACTIONS, legalActions } from './actions.js';
import { bodyOf, childrenAt, openForm, stepChoices } from './action-form.js';
import { ran, step, task, undo } from './task-spec.js';

const STEPS = [ran('a', 1), step('b', { state: 'failed', timeStart: 2 }), step('c')];

function words(status: string, steps = STEPS): readonly string[] {
  return legalActions(task(status, steps)).map(({ words }) => words);
}

describe('what a person can do', () => {
  it.each([
    ['not_started', ['Skip', 'Pause', 'Roll back', 'Terminate']],
    ['running', ['Skip', 'Pause', 'Roll back', 'Reset', 'Terminate']],
    ['on_hold', ['Retry', 'Skip', 'Roll back', 'Reset', 'Terminate']],
    ['paused', ['Resume', 'Skip', 'Roll back', 'Reset', 'Terminate']],
    ['rolling_back', ['Pause', 'Terminate']],
    ['succeeded', ['Reset', 'Undo', 'Restart']],
    ['rolled_back', ['Reset', 'Restart']],
    ['terminated', ['Restart']],
  ])('follows from the status %s', (status, expected) => {
    expect(words(status)).toEqual(expected);
  });

  it('is found by one look at each step, however many need each other', () => {
    let looks = 0;
    const looksFor = (count: number): number => {
      const steps = Array.from({ length: count }, (_, n) => {
        const counted = { ...ran(`s${n}`, n) };
        const needs = n === 0 ? [] : [`s${n - 1}`];
        return Object.defineProperty(counted, 'needs', { get: () => ((looks += 1), needs) });
      });
      looks = 0;
      legalActions(task('on_hold', [...steps, step('last', { state: 'failed', timeStart: 9 })]));
      return looks;
    };
    expect(looksFor(400)).toBeLessThanOrEqual(4 * 400);
  });

  it.each([
    ['succeeded', 'each', ['Restart']],
    ['rolled_back', 'each', ['Restart']],
    // Of a failure flow, which no step of its parent waits for.
    ['succeeded', null, ['Reset', 'Undo', 'Restart']],
    ['running', 'each', ['Skip', 'Pause', 'Roll back', 'Reset', 'Terminate']],
  ])('takes back no child task that its parent counted: %s, of step %s', (status, by, expected) => {
    const parent = { taskId: 'p', step: by, index: 0 };
    const child = task(status, STEPS, { parent });
    expect(legalActions(child).map((action) => action.words)).toEqual(expected);
  });

  it('is to skip a step that waits for an executor, unless it was started before', () => {
    const skip = ACTIONS.find(({ verb }) => verb === 'skip')!;
    const queued = step('q', { state: 'queued' });
    const again = step('r', { state: 'queued', timeStart: 2 });
    const waiting = task('running', [ran('a', 1), queued, again, step('c')]);
    expect(stepChoices(skip, waiting).map(({ id }) => id)).toEqual(['q', 'c']);
    expect(openForm(skip, waiting, null).step).toBe('q');
  });

  it('is little where a paused task goes back', () => {
    const steps = [ran('a', 1, { rollback: undo('pending') })];
    expect(words('paused', steps)).toEqual(['Resume', 'Terminate']);
  });

  it('is to skip no step of a scope that goes back, or is over', () => {
    const skip = ACTIONS.find(({ verb }) => verb === 'skip')!;
    const branch = (name: string, way: 'forward' | 'back') => {
      return { kind: 'branch', name, way, steps: [step(name)] };
    };
    const scopes = [branch('a', 'back'), branch('b', 'forward')];
    const over = step('o', { state: 'succeeded', scopes: [branch('c', 'forward')] });
    const running = task('running', [over, step('p', { state: 'running', scopes })]);
    expect(stepChoices(skip, running).map(({ id }) => id)).toEqual(['b']);
  });

  it('is to retry or skip the undo that failed', () => {
    const steps = [ran('a', 1, { rollback: undo('failed') }), ran('b', 2)];
    expect(words('rollback_failed', steps)).toEqual(['Retry', 'Skip', 'Terminate']);
    const skip = ACTIONS.find(({ verb }) => verb === 'skip');
    if (skip === undefined) throw new Error('no skip');
    const stuck = task('rollback_failed', steps);
    expect(stepChoices(skip, stuck)).toEqual([{ id: 'a', address: 'a' }]);
    expect(openForm(skip, stuck, null).step).toBe('a');
  });

  it('is to go back behind a point of no return that was passed, and no further', () => {
    const rollback = ACTIONS.find(({ verb }) => verb === 'rollback');
    const p = ran('p', 2, { needs: ['a'], pivot: true });
    const b = ran('b', 3, { needs: ['p'] });
    const z = step('z', { needs: ['b'], state: 'failed', timeStart: 4 });
    const held = task('on_hold', [ran('a', 1), p, b, z]);
    if (rollback === undefined) throw new Error('no rollback');
    expect(stepChoices(rollback, held).map(({ id }) => id)).toEqual(['b', 'z']);
    expect(rollback.stepMember?.isOptional?.(held)).toBe(false);
    expect(openForm(rollback, held, 'a').step).toBe('b');
    const scopes = [{ kind: 'try', name: '1', way: 'forward', steps: [p, z] }] as const;
    const inner = [ran('a', 1), step('g', { state: 'running', timeStart: 2, scopes })];
    expect(words('on_hold', inner)).toEqual(['Retry', 'Skip', 'Terminate']);
    expect(words('succeeded', [p])).toEqual(['Restart']);
  });

  it('is to answer a step that waits for it', () => {
    const steps = [step('ok', { kind: 'approve', state: 'waiting', waitsFor: 'approval' })];
    expect(words('running', steps).slice(0, 2)).toEqual(['Approve', 'Reject']);
  });

  it('is to complete what waits for that from outside, forward or back, and nothing else', () => {
    const ordered = step('order', { state: 'waiting', timeStart: 1, waitsFor: 'completion' });
    expect(words('running', [ordered])).toContain('Complete');
    const cancelled = ran('order', 1, { rollback: { ...undo('waiting'), waitsFor: 'completion' } });
    expect(words('rolling_back', [cancelled])).toContain('Complete');
    const others = [
      step('retry', { state: 'waiting' }),
      ran('b', 1, { rollback: undo('waiting') }),
    ];
    expect(words('running', others)).not.toContain('Complete');
  });
});

type Counts = NonNullable<Step['children']>;

const COUNTS: Counts = {
  ...{ total: 3, started: 3, succeeded: 2, failed: 1, active: 0 },
  way: 'forward',
};

describe('a retry of a step with child tasks', () => {
  const retry = ACTIONS.find(({ verb }) => verb === 'retry');
  if (retry === undefined) throw new Error('no retry');
  const counts = COUNTS;
  const failed = (children = counts) =>
    step('each', { kind: 'foreach', state: 'failed', children });

  it('keeps those that succeeded, unless a person wants all anew', () => {
    const held = task('on_hold', [failed()]);
    const form = { ...openForm(retry, held, null), reason: 'why' };
    expect(bodyOf(retry, form)).toEqual({ reason: 'why', children: 'failed' });
    expect(bodyOf(retry, { ...form, children: 'all' })).toEqual({ reason: 'why', children: 'all' });
  });

  it.each([
    ['none succeeded', task('on_hold', [failed({ ...counts, succeeded: 0, failed: 3 })])],
    ['they go back', task('rollback_failed', [failed()])],
    ['no step has any', task('on_hold', [step('a', { state: 'failed' })])],
  ])('offers no choice where %s', (_name, stuck) => {
    const form = { ...openForm(retry, stuck, null), reason: 'why' };
    expect(bodyOf(retry, form)).toEqual({ reason: 'why' });
  });
});

describe('a reset to a step with child tasks', () => {
  const reset = ACTIONS.find(({ verb }) => verb === 'reset');
  if (reset === undefined) throw new Error('no reset');
  const counts = COUNTS;
  const ended = { ...ran('each', 1), kind: 'foreach', children: counts } as const;

  it('keeps those that succeeded, unless a person wants all anew', () => {
    const form = openForm(reset, task('succeeded', [ended, ran('then', 2)]), 'each');
    const body = { reason: 'why', to: 'each' };
    expect(bodyOf(reset, { ...form, reason: 'why' })).toEqual({ ...body, children: 'failed' });
    const all = { ...form, reason: 'why', children: 'all' } as const;
    expect(bodyOf(reset, all)).toEqual({ ...body, children: 'all' });
  });

  it.each([
    ['none failed', { ...ended, children: { ...counts, succeeded: 3, failed: 0 } }],
    ['it is undone', { ...ended, rollback: undo('succeeded') }],
    ['they are under way', { ...ended, state: 'running' }],
    ['another step is meant', { ...ended, name: 'other' }],
  ])('offers no choice where %s', (_name, step) => {
    expect(childrenAt(reset, task('succeeded', [step]), 'each')).toBeNull();
  });
});

describe('the body of an action', () => {
  const reset = ACTIONS.find(({ verb }) => verb === 'reset');
  if (reset === undefined) throw new Error('no reset');

  it('goes back no further than asked: to the step that began last', () => {
    const steps = [ran('a', 1), step('b', { state: 'running', timeStart: 2 }), step('c')];
    expect(openForm(reset, task('running', steps), null).step).toBe('b');
    expect(openForm(reset, task('running', steps), 'a').step).toBe('a');
  });

  it('has the reason, the step and the changed parameters', () => {
    const form = { reason: ' why ', step: 'a', extra: '{"x": 1}', children: null };
    expect(bodyOf(reset, form)).toEqual({ reason: 'why', to: 'a', parameters: { x: 1 } });
  });

  it.each(['[]', '{', '1', 'null'])('cannot be made with %s', (extra) => {
    expect(bodyOf(reset, { reason: 'why', step: 'a', extra, children: null })).toBeNull();
  });
});
