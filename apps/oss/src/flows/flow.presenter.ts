import type { FlowVersion, JsonObject } from '#core';
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
  readonly steps: readonly {
    readonly name: string;
    readonly needs: readonly string[];
    readonly normal: PublicAction;
    readonly rollback: PublicAction | null;
  }[];
}

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
    timeout: timeoutMs === null ? null : timeoutMs / 1_000,
    steps: steps.map((step) => ({
      name: step.name,
      needs: namesOfNeeds(step, steps),
      normal: presentAction(step.normal),
      rollback: step.rollback === null ? null : presentAction(step.rollback),
    })),
  };
}
