import type { ActionRun, StepPlan } from '#core';

/** News for which an action of a step waits, and which does not come by itself. */
export const AWAITED_NEWS = ['approval', 'signal', 'completion'] as const;

type AwaitedNews = (typeof AWAITED_NEWS)[number];

/** One half of a step: its `plan` decides what a step forward waits for. */
interface Half {
  readonly plan: StepPlan | undefined;
  readonly direction: 'normal' | 'rollback';
}

/**
 * The news from people or other systems that an action waits for; null: it does not wait, or for
 * the clock, its next attempt or its child tasks alone.
 */
export function newsAwaited(
  { look, state }: Pick<ActionRun, 'look' | 'state'>,
  { direction, plan }: Half,
): AwaitedNews | null {
  if (state !== 'waiting') return null;
  if (direction === 'normal' && plan?.approve !== undefined) return 'approval';
  if (direction === 'normal' && plan?.wait !== undefined && 'signal' in plan.wait) return 'signal';
  return look === 'outside' ? 'completion' : null;
}
