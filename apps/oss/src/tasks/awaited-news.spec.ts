import { describe, expect, it } from '@jest/globals';
import type { ActionRun, StepPlan } from '#core';
import { newsAwaited } from './awaited-news.js';

const waiting = { look: 'none', state: 'waiting' } as const;
const outside = { look: 'outside', state: 'waiting' } as const;
const again = { look: 'again', state: 'waiting' } as const;
const queued = { look: 'outside', state: 'queued' } as const;
const pending = { look: 'none', state: 'pending' } as const;
const common = { name: 'a', needs: [], rollback: null };
const approve = { title: 'May it?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
const asks: StepPlan = { ...common, approve };
const pauses: StepPlan = { ...common, wait: { for: 1_000 } };
const listens: StepPlan = {
  ...common,
  wait: { signal: 'paid', timeoutMs: null, onTimeout: 'fail' as const },
};
const works = common as unknown as StepPlan;

interface Row {
  readonly run: Pick<ActionRun, 'look' | 'state'>;
  readonly plan: StepPlan;
  readonly expected: string | null;
}

describe('the news that an action waits for', () => {
  it.each<[string, Row]>([
    ['a yes or no', { run: waiting, plan: asks, expected: 'approval' }],
    ['a signal', { run: waiting, plan: listens, expected: 'signal' }],
    ['a completion', { run: outside, plan: works, expected: 'completion' }],
    ['nothing, between two attempts', { run: waiting, plan: works, expected: null }],
    ['nothing, between two looks', { run: again, plan: works, expected: null }],
    ['nothing, for a time', { run: waiting, plan: pauses, expected: null }],
    ['nothing, once it goes on', { run: queued, plan: works, expected: null }],
    ['nothing, before it asks', { run: pending, plan: asks, expected: null }],
  ])('is %s', (_what, { expected, plan, run }) => {
    expect(newsAwaited(run, { plan, direction: 'normal' })).toBe(expected);
  });

  it('is never that of the step itself on the way back', () => {
    for (const plan of [asks, listens]) {
      expect(newsAwaited(waiting, { plan, direction: 'rollback' })).toBeNull();
      expect(newsAwaited(outside, { plan, direction: 'rollback' })).toBe('completion');
    }
  });
});
