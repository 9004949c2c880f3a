import * as fc from 'fast-check';
import { NO_RETRY, type RetryPolicy, type StepPlan } from './flow.js';

/** What one attempt of a random history comes to. */
export type Turn = 'done' | 'fails' | 'gives_up' | 'again' | 'lost' | 'late';

/** A random flow with what its attempts come to and what persons do meanwhile. */
export interface History {
  readonly steps: readonly StepPlan[];
  readonly turns: readonly Turn[];
  readonly picks: readonly number[];
  readonly persons: readonly ('none' | 'rollback' | 'terminate' | 'repeat')[];
}

const retry: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom('none', 'fixed', 'exponential'),
  delayMs: fc.constant(1_000),
  maxDelayMs: fc.constantFrom(null, 4_000),
  jitter: fc.boolean(),
});

function stepAt(index: number): fc.Arbitrary<StepPlan> {
  const needs = index === 0 ? fc.constant<number[]>([]) : fc.uniqueArray(fc.nat(index - 1));
  return fc.record({ needs, retry, undo: fc.boolean() }).map(({ needs: before, undo, ...rest }) => {
    const action = {
      module: `m${index % 2}`,
      command: 'go',
      timeoutMs: 60_000,
      attemptTimeoutMs: null,
      parameters: null,
    };
    return {
      name: `s${index}`,
      needs: before,
      normal: { ...action, retry: rest.retry },
      rollback: undo ? { ...action, command: 'undo', retry: NO_RETRY } : null,
    };
  });
}

const steps = fc.integer({ min: 1, max: 6 }).chain((count) => {
  return fc.tuple(...Array.from({ length: count }, (_, index) => stepAt(index)));
});

/** Histories with everything in them; a failing one is printed and shrunk. */
export const histories: fc.Arbitrary<History> = fc.record({
  steps,
  turns: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Turn>('done') },
      { weight: 4, arbitrary: fc.constantFrom<Turn>('fails', 'gives_up', 'again', 'lost', 'late') },
    ),
    { maxLength: 40 },
  ),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
  persons: fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant<'none'>('none') },
      {
        weight: 1,
        arbitrary: fc.constantFrom<'rollback' | 'terminate' | 'repeat'>(
          'rollback',
          'terminate',
          'repeat',
        ),
      },
    ),
    { maxLength: 40 },
  ),
});
