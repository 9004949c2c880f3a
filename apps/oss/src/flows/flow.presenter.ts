import { hash } from 'node:crypto';
import type { FlowDefinition, FlowVersion, StepPlan } from '#core';
import type { DrillRecord } from '#ports';
import type { Shown } from '../requests/shown.js';
import {
  commonMembers,
  kindMembers,
  namesOfNeeds,
  presentAction,
  type PublicAction,
} from '../tasks/kind.presenter.js';

/** One version of a flow, as HTTP shows it; times in seconds. */
export type PublicFlow = Omit<Shown<'StoredFlow'>, 'revived' | 'warnings'>;

/** One entry of a flow, as flow files write it; times in seconds. */
interface PublicStep {
  readonly name: string;
  readonly needs: readonly string[];
  readonly rollback?: PublicAction | null;
  /** The members of its kind, and those that every step may have. */
  readonly [member: string]: unknown;
}

/** The result of a drill of a flow, as HTTP shows it. */
export type PublicDrill = Shown<'Drill'>;

/** A flow's version as HTTP shows it. */
export function presentFlow({ definition, version, hash, createdAt }: FlowVersion): PublicFlow {
  const { constants, name, description, input, labels, locks, timeoutMs, steps } = definition;
  const { failureFlow, maxLive, onTimeout, output: flowOutput } = definition;
  return {
    name,
    version,
    hash,
    timeCreate: Math.floor(createdAt / 1_000),
    description,
    input,
    timeout: seconds(timeoutMs),
    onFailure: publicOnFailure(definition),
    // Their kinds have members of their own.
    steps: presentSteps(steps) as PublicFlow['steps'],
    ...(onTimeout !== undefined && { onTimeout }),
    ...(constants !== undefined && { constants }),
    ...(flowOutput !== undefined && { output: flowOutput }),
    ...(labels !== undefined && { labels }),
    ...(locks !== undefined && { locks }),
    ...(failureFlow !== undefined && { failureFlow }),
    ...(maxLive !== undefined && { maxLive }),
  };
}

/** The `ETag` of a flow: its version; behind a dot a mark of its drill or text, if one is shown. */
export function flowTag({ version }: FlowVersion, shown: object | null = null): string {
  if (shown === null) return `"${version}"`;
  const mark = hash('sha256', JSON.stringify(shown), 'hex').slice(0, 8);
  return `"${version}.${mark}"`;
}

function presentSteps(steps: readonly StepPlan[]): readonly PublicStep[] {
  return steps.map((step): PublicStep => {
    const head = { name: step.name, needs: namesOfNeeds(step, steps) };
    const { rollback } = step;
    const undo = rollback ? presentAction(rollback) : rollback;
    const own = { ...commonMembers(step, presentSteps), ...kindMembers(step, presentSteps) };
    return { ...head, ...own, ...(undo !== undefined && { rollback: undo }) };
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

/** The result of a drill, for those who ask for the flow. */
export function presentDrill({ at, failures, total, version }: DrillRecord): PublicDrill {
  return { version, at: Math.floor(at / 1_000), passed: failures === 0, failures, total };
}
