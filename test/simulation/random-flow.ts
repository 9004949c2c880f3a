import type { Action, CrashPolicy, FlowDefinition, RetryPolicy, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';
import type { Chances } from './drawn-apart.js';
import { withFailureFlow } from './random-failures.js';
import { withGroups } from './random-groups.js';
import { withList } from './random-lists.js';
import { type ActionMaker, randomProgram } from './random-program.js';
import { withLocks, withProgramLocks } from './random-locks.js';
import { withMade } from './random-made.js';
import { randomWide } from './random-wide.js';
import { withSecret } from './sim-secrets.js';

/** Most that a flow here makes an action wait between two attempts. */
export const RETRY_DELAY_MAX_MS = 4_000;

const CRASH_POLICIES: readonly CrashPolicy[] = [
  'fail',
  ...[0, 1, 1, 1, 10].map((restarts) => ({ restarts })),
];

/** Where a flow is drawn from. */
export interface FlowChance extends Omit<Chances, 'runs'> {
  readonly random: SeededRandom;
}

/**
 * A flow of one to six steps, each needing some of those before it; or one of all kinds, or a wide
 * one.
 */
export function randomFlow(chance: FlowChance, name: string, isChild = false): FlowDefinition {
  const plain = plainFlow(chance, name, isChild);
  const expiring = chance.expiries === null ? plain : withExpiries(chance.expiries, plain);
  const begun = chance.headStarts === null ? expiring : withHeadStarts(chance.headStarts, expiring);
  const flow = chance.hasSecret ? withSecret(begun) : begun;
  return chance.failures === null ? flow : withFailureFlow(chance.failures, flow);
}

/**
 * Has some commands of a flow expire, so soon that trouble lets them; and what runs may end after
 * the time of the task.
 */
function withExpiries(random: SeededRandom, flow: FlowDefinition): FlowDefinition {
  const steps = flow.steps.map((step): StepPlan => {
    if (step.normal === undefined || random.next() < 0.5) return step;
    return { ...step, expiresAfterMs: random.pick([200, 1_000, 5_000, 20_000]) };
  });
  return { ...flow, steps, ...(random.next() < 0.5 && { onTimeout: 'wait' as const }) };
}

/** Has some commands of a flow go before others that wait, or behind them. */
function withHeadStarts(random: SeededRandom, flow: FlowDefinition): FlowDefinition {
  const steps = flow.steps.map((step): StepPlan => {
    if (step.normal === undefined || random.next() < 0.3) return step;
    return { ...step, priority: random.pick([-5, -1, 1, 5, 60]) };
  });
  return { ...flow, steps };
}

function plainFlow(chance: FlowChance, name: string, isChild: boolean): FlowDefinition {
  const { groups, locks, programs, random, wide } = chance;
  if (programs !== null) return programOf({ ...chance, programs }, name, isChild);
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

function programOf(
  { kinds, lists, locks, made, programs }: FlowChance & { readonly programs: SeededRandom },
  name: string,
  isChild: boolean,
): FlowDefinition {
  const plain = randomProgram(programs, name, { isChild, kinds, maker: makerOf(programs) });
  const locked = locks === null ? plain : withProgramLocks(locks, plain, isChild);
  // Where a caller wants no groups, none of them stays one.
  const kept = kinds === null || kinds.includes('group') ? undefined : 0;
  const flow = made === null ? locked : withMade(made, locked, kept);
  return lists === null || isChild ? flow : withList(lists, flow, makerOf(lists));
}

function makerOf(random: SeededRandom): ActionMaker {
  const action = (command: string): Action => ({
    ...randomAction(random, command),
    timeoutMs: random.pick([5_000, 30_000, 60_000]),
  });
  return { action, retry: () => randomRetry(random) };
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
