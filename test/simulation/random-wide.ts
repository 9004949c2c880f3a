import type { Action, FlowDefinition, StepPlan } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';

/** Least steps of a wide flow. */
export const STEPS_MIN = 30;
/** Most steps of a wide flow. */
const STEPS_MAX = 100;

/** Least attempts of all actions of a flow. */
const PATIENT_ATTEMPTS = [1, 3, 3, 5] as const;

/** Makes one action of a wide flow, which has at least this number of attempts. */
export type WideMaker = (command: 'do' | 'undo') => Action;

/**
 * A flow of many steps side by side. Most begin with one step that all others need, some end with
 * one that needs all of them, and in some each step of the second half needs one of the first.
 */
export function randomWide(random: SeededRandom, name: string, maker: WideMaker): FlowDefinition {
  const hasRoot = random.next() < 0.6;
  const hasEnd = random.next() < 0.4;
  const hasPairs = random.next() < 0.5;
  const attempts = random.pick(PATIENT_ATTEMPTS);
  const count = random.between(STEPS_MIN, STEPS_MAX);
  const needsOf = (index: number): readonly number[] => {
    if (hasEnd && index === count - 1) return placesBefore(index);
    const partner = index - Math.floor(count / 2);
    if (hasPairs && partner > 0) return [partner];
    return hasRoot && index > 0 ? [0] : [];
  };
  const steps = Array.from({ length: count }, (_, index): StepPlan => {
    const needs = needsOf(index);
    const normal = withAttempts(maker('do'), attempts);
    const rollback = random.next() < 0.9 ? withAttempts(maker('undo'), attempts) : null;
    return { name: `s${index}`, needs, normal, rollback };
  });
  const timeoutMs = random.pick([null, null, null, 60_000]);
  return { name, description: null, input: null, timeoutMs, steps };
}

function placesBefore(index: number): readonly number[] {
  return Array.from({ length: index }, (_, at) => at);
}

/** Nearly every wide flow would turn back if each of its steps had one attempt. */
function withAttempts(action: Action, attempts: number): Action {
  const { retry } = action;
  return { ...action, retry: { ...retry, attempts: Math.max(retry.attempts, attempts) } };
}
