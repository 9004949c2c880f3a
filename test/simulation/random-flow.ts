import type { Action, CrashPolicy, FlowDefinition, RetryPolicy, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';
import { withFailureFlow } from './random-failures.js';
import { withGroups } from './random-groups.js';
import { randomProgram } from './random-program.js';
import { withLocks } from './random-locks.js';
import { withMade } from './random-made.js';
import { randomWide } from './random-wide.js';

/** Most that a flow here makes an action wait between two attempts. */
export const RETRY_DELAY_MAX_MS = 4_000;

const CRASH_POLICIES: readonly CrashPolicy[] = [
  'fail',
  ...[0, 1, 1, 1, 10].map((restarts) => ({ restarts })),
];

/** Where a flow is drawn from. */
export interface FlowChance {
  readonly random: SeededRandom;
  /** Draws groups in the places of some steps; null: there are none. */
  readonly groups: SeededRandom | null;
  /** Draws steps of all kinds, and nothing else is drawn; null: there are commands and groups. */
  readonly programs: SeededRandom | null;
  /** Draws flows of many steps side by side, and nothing else; null: flows are short. */
  readonly wide: SeededRandom | null;
  /** Has some steps of all kinds come to be while a task runs; null: none do. */
  readonly made: SeededRandom | null;
  /** Draws locks of flows and steps; null: there are none. */
  readonly locks: SeededRandom | null;
  /** Draws failure flows; null: there are none. */
  readonly failures: SeededRandom | null;
}

/**
 * A flow of one to six steps, each needing some of those before it; or one of all kinds, or a wide
 * one.
 */
export function randomFlow(chance: FlowChance, name: string, isChild = false): FlowDefinition {
  const flow = plainFlow(chance, name, isChild);
  return chance.failures === null ? flow : withFailureFlow(chance.failures, flow);
}

function plainFlow(
  { groups, locks, made, programs, random, wide }: FlowChance,
  name: string,
  isChild: boolean,
): FlowDefinition {
  if (programs !== null) {
    const flow = programOf(programs, name, isChild);
    return made === null ? flow : withMade(made, flow);
  }
  // A failure flow is never wide: it has no part in what is looked for there.
  if (wide !== null && !isChild) {
    return randomWide(wide, name, (command) => randomAction(wide, command));
  }
  const isChain = random.next() < 0.4;
  const count = random.between(1, 6);
  const steps: StepPlan[] = [];
  for (let index = 0; index < count; index++) {
    steps.push(randomStep(random, index, isChain));
  }
  const timeoutMs = random.pick([null, null, null, 30_000]);
  const nothing = { description: null, input: null };
  const flow = { name, ...nothing, timeoutMs, steps: grouped(steps, groups) };
  return locks === null ? flow : withLocks(locks, flow);
}

function programOf(random: SeededRandom, name: string, isChild: boolean): FlowDefinition {
  const action = (command: string): Action => ({
    ...randomAction(random, command),
    timeoutMs: random.pick([5_000, 30_000, 60_000]),
  });
  return randomProgram(random, name, {
    isChild,
    maker: { action, retry: () => randomRetry(random) },
  });
}

function grouped(steps: readonly StepPlan[], groups: SeededRandom | null): readonly StepPlan[] {
  if (groups === null) return steps;
  return withGroups(groups, steps, {
    step: (index, isChain) => randomStep(groups, index, isChain),
    retry: () => randomRetry(groups),
  });
}

function randomStep(random: SeededRandom, index: number, isChain: boolean): StepPlan {
  const before = Array.from({ length: index }, (_, at) => at);
  const needs = isChain ? before.slice(-1) : before.filter(() => random.next() < 0.4);
  const rollback = random.next() < 0.8 ? randomAction(random, 'undo') : null;
  return { name: `s${index}`, needs, normal: randomAction(random, 'do'), rollback };
}

function randomAction(random: SeededRandom, command: string): Action {
  return {
    module: random.pick(['a', 'b']),
    command,
    timeoutMs: random.pick([5_000, 30_000, 120_000]),
    attemptTimeoutMs: random.pick([null, 3_000, 10_000]),
    retry: randomRetry(random),
    onCrash: random.pick(CRASH_POLICIES),
    parameters: null,
  };
}

function randomRetry(random: SeededRandom): RetryPolicy {
  const backoff = random.pick(['none', 'fixed', 'exponential'] as const);
  return {
    attempts: random.pick([1, 1, 2, 4]),
    backoff,
    delayMs: backoff === 'none' ? 0 : random.between(100, 2_000),
    maxDelayMs: RETRY_DELAY_MAX_MS,
    jitter: random.next() < 0.5,
  };
}
