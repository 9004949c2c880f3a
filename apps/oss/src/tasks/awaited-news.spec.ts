import { describe, expect, it } from '@jest/globals';
import type { ActionRun, StepPlan } from '#core';
import { newsAwaited } from './awaited-news.js';

const waiting = { look: 'none', state: 'waiting' } as const;
const outside = { look: 'outside', state: 'waiting' } as const;
const common = { name: 'a', needs: [], rollback: null };
const approve = { title: 'May it?', roles: [], timeoutMs: null, onTimeout: 'fail' } as const;
const asks: StepPlan = { ...common, approve };
const pauses: StepPlan = { ...common, wait: { for: 1_000 } };
const listens: StepPlan = {
  ...common,
  wait: { signal: 'paid', timeoutMs: null, onTimeout: 'fail' as const },
};
const works = common as unknown as StepPlan;

type Row = readonly [string, Pick<ActionRun, 'look' | 'state'>, StepPlan, string | null];

describe('what an action waits for from outside', () => {
  it.each<Row>([
    ['a yes or no', waiting, asks, 'approval'],
    ['a signal', waiting, listens, 'signal'],
    ['a completion', outside, works, 'completion'],
    ['nothing, between two attempts', waiting, works, null],
    ['nothing, between two looks', { look: 'again', state: 'waiting' }, works, null],
    ['nothing, for a time', waiting, pauses, null],
    ['nothing, once it goes on', { look: 'outside', state: 'queued' }, works, null],
    ['nothing, before it asks', { look: 'none', state: 'pending' }, asks, null],
  ])('is %s', (_what, run, plan, expected) => {
    expect(newsAwaited(run, { plan, direction: 'normal' })).toBe(expected);
  });

  it('is never that of the step itself on the way back', () => {
    for (const plan of [asks, listens]) {
      expect(newsAwaited(waiting, { plan, direction: 'rollback' })).toBeNull();
      expect(newsAwaited(outside, { plan, direction: 'rollback' })).toBe('completion');
    }
  });
});
