import {
  type FlowDefinition,
  type FlowVersion,
  type JsonObject,
  type PublicRetry,
  publicRetry,
} from '#core';
import type { StepPlan } from '#core';
import { namesOfNeeds, presentAction, type PublicAction } from '../tasks/action.presenter.js';

/** One version of a flow, as HTTP shows it; times in seconds. */
export interface PublicFlow {
  readonly name: string;
  readonly version: number;
  readonly hash: string;
  readonly timeCreate: number;
  readonly description: string | null;
  readonly input: JsonObject | null;
  readonly timeout: number | null;
  /** `hold` in seconds. */
  readonly onFailure: 'rollback' | 'hold' | { readonly hold: number };
  readonly steps: readonly PublicStep[];
}

/** One entry of a flow, as flow files write it; times in seconds. */
type PublicStep = { readonly name: string; readonly needs: readonly string[] } & (
  | { readonly normal: PublicAction; readonly rollback: PublicAction | null }
  | {
      readonly group: readonly PublicStep[];
      readonly retry: PublicRetry;
      readonly timeout: number | null;
    }
);

/** A flow's version as HTTP shows it. */
export function presentFlow({ definition, version, hash, createdAt }: FlowVersion): PublicFlow {
  const { name, description, input, timeoutMs, steps } = definition;
  return {
    name,
    version,
    hash,
    timeCreate: Math.floor(createdAt / 1_000),
    description,
    input,
    timeout: seconds(timeoutMs),
    onFailure: publicOnFailure(definition),
    steps: presentSteps(steps),
  };
}

function presentSteps(steps: readonly StepPlan[]): readonly PublicStep[] {
  return steps.map((step): PublicStep => {
    const head = { name: step.name, needs: namesOfNeeds(step, steps) };
    if (step.group !== undefined) {
      const { group, retry, timeoutMs } = step;
      const timeout = seconds(timeoutMs);
      return { ...head, group: presentSteps(group), retry: publicRetry(retry), timeout };
    }
    const { normal, rollback } = step;
    const undo = rollback === null ? null : presentAction(rollback);
    return { ...head, normal: presentAction(normal), rollback: undo };
  });
}

function publicOnFailure({ onFailure = 'rollback' }: FlowDefinition): PublicFlow['onFailure'] {
  if (onFailure === 'rollback') return 'rollback';
  const { holdMs } = onFailure;
  return holdMs === null ? 'hold' : { hold: holdMs / 1_000 };
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1_000;
}
