import * as fc from 'fast-check';
import { type CrashPolicy, NO_RETRY, type RetryPolicy } from '../flow/action.js';
import type { FailurePolicy, StepPlan } from '../flow/flow.js';

/** The result of one attempt of a random history. */
export type Turn = 'done' | 'fails' | 'gives_up' | 'refused' | 'again' | 'lost' | 'late';

/** An action of a person; `repeat`: a message comes twice. */
type Deed = 'rollback' | 'back' | 'terminate' | 'repeat' | 'reset' | 'pause' | 'skip' | 'undo';

const DEEDS = [
  'rollback',
  'back',
  'terminate',
  'repeat',
  'reset',
  'pause',
  'skip',
  'undo',
] as const satisfies readonly Deed[];

/** A random flow with what its attempts come to and what persons do meanwhile. */
export interface History {
  readonly steps: readonly StepPlan[];
  /** Which of them runs by itself, counted round; null: all of them run. */
  readonly only: number | null;
  readonly onFailure: FailurePolicy;
  readonly turns: readonly Turn[];
  readonly picks: readonly number[];
  readonly persons: readonly ('none' | Deed)[];
}

const retry: fc.Arbitrary<RetryPolicy> = fc.record({
  attempts: fc.integer({ min: 1, max: 3 }),
  backoff: fc.constantFrom('none', 'fixed', 'exponential'),
  delayMs: fc.constant(1_000),
  maxDelayMs: fc.constantFrom(null, 4_000),
  jitter: fc.boolean(),
});

const onCrash: fc.Arbitrary<CrashPolicy> = fc.constantFrom<CrashPolicy>(
  'fail',
  ...[0, 1, 3].map((restarts) => ({ restarts })),
);

function stepAt(index: number, needsMax = index): fc.Arbitrary<StepPlan> {
  const needs =
    index === 0
      ? fc.constant<number[]>([])
      : fc.uniqueArray(fc.nat(index - 1), { maxLength: needsMax });
  return fc
    .record({ needs, retry, onCrash, undo: fc.boolean() })
    .map(({ needs: before, ...rest }) => {
      const action = {
        module: `m${index % 2}`,
        command: 'go',
        timeoutMs: 60_000,
        attemptTimeoutMs: null,
        onCrash: rest.onCrash,
        parameters: null,
      };
      return {
        name: `s${index}`,
        needs: before,
        normal: { ...action, retry: rest.retry },
        rollback: rest.undo ? { ...action, command: 'undo', retry: NO_RETRY } : null,
      };
    });
}

const steps = fc.integer({ min: 1, max: 6 }).chain((count) => {
  return fc.tuple(...Array.from({ length: count }, (_, index) => stepAt(index)));
});

/** More steps than are summed up together. */
const manySteps = fc.integer({ min: 30, max: 100 }).chain((count) => {
  return fc.tuple(...Array.from({ length: count }, (_, index) => stepAt(index, 3)));
});

const course = {
  only: fc.option(fc.nat(), { freq: 4 }),
  onFailure: fc.constantFrom<FailurePolicy>('rollback', { holdMs: null }, { holdMs: 30_000 }),
  turns: fc.array(
    fc.oneof(
      { weight: 6, arbitrary: fc.constant<Turn>('done') },
      {
        weight: 4,
        arbitrary: fc.constantFrom<Turn>('fails', 'gives_up', 'refused', 'again', 'lost', 'late'),
      },
    ),
    { maxLength: 40 },
  ),
  picks: fc.array(fc.nat(), { minLength: 1, maxLength: 20 }),
  persons: fc.array(
    fc.oneof(
      { weight: 12, arbitrary: fc.constant<'none'>('none') },
      { weight: 1, arbitrary: fc.constantFrom(...DEEDS) },
    ),
    { maxLength: 40 },
  ),
};

/** A list of steps of which some hold lists, down to this depth. */
function listOf(depth: number): fc.Arbitrary<readonly StepPlan[]> {
  return fc.integer({ min: 1, max: 3 }).chain((count) => {
    return fc.tuple(
      ...Array.from({ length: count }, (_, index) => {
        const group = depth === 0 ? null : groupAt(index, depth);
        return group === null ? stepAt(index) : fc.oneof(stepAt(index), group);
      }),
    );
  });
}

function groupAt(index: number, depth: number): fc.Arbitrary<StepPlan> {
  const timeoutMs = fc.option(fc.constantFrom(1_000, 5_000, 60_000), { freq: 2 });
  return fc
    .record({ own: stepAt(index), group: listOf(depth - 1), retry, timeoutMs })
    .map(({ group, own: { name, needs }, ...rest }) => ({ name, needs, group, ...rest }));
}

/** Histories with everything in them; a failing one is printed and shrunk. */
export const histories: fc.Arbitrary<History> = fc.record({ steps, ...course });

/** The same with steps that hold steps. */
export const nestedHistories: fc.Arbitrary<History> = fc.record({ steps: listOf(2), ...course });

/** The same with long flows. */
export const longHistories: fc.Arbitrary<History> = fc.record({ steps: manySteps, ...course });
