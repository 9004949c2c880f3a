import type { FlowDefinition, StepPlan } from './flow.js';
import { actionsIn } from './plan-lists.js';

/** The flows and modules that a starter of tasks may use, as patterns; null: all of them. */
export interface StarterLimits {
  readonly flows: readonly string[] | null;
  readonly modules: readonly string[] | null;
}

/** The limits that bind a task, and every task that it starts in turn. */
export interface StartLimits {
  /** Each of them must allow what is started. Absent: nobody who started it is limited. */
  readonly starters?: readonly StarterLimits[];
  /**
   * Its secrets were given before this moment, in milliseconds since 1970: they are not handed to
   * steps of flows that were stored later. Absent: they were given to the task itself.
   */
  readonly secretsUntil?: number;
}

/**
 * Whether a text fits a pattern, in which each `*` stands for any text. In time that grows with the
 * product of both lengths at most, whatever the pattern is.
 */
export function fitsPattern(pattern: string, text: string): boolean {
  const [first = '', ...rest] = pattern.split('*');
  if (rest.length === 0) return text === pattern;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? '';
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}

/** Whether a text fits one of the patterns; null stands for every text. */
export function fitsAny(patterns: readonly string[] | null, text: string): boolean {
  return patterns === null || patterns.some((pattern) => fitsPattern(pattern, text));
}

/** Both limits at once; undefined: there are none. */
export function bothLimits(
  one: StartLimits | undefined,
  other: StartLimits | undefined,
): StartLimits | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const all = [...(one.starters ?? []), ...(other.starters ?? [])];
  const byText = new Map(all.map((starter) => [textOf(starter), starter]));
  const until = Math.min(one.secretsUntil ?? Infinity, other.secretsUntil ?? Infinity);
  return {
    ...(byText.size > 0 && { starters: [...byText.values()] }),
    ...(until !== Infinity && { secretsUntil: until }),
  };
}

function textOf({ flows, modules }: StarterLimits): string {
  return JSON.stringify([flows, modules]);
}

/** Why limits do not allow these steps to run, for people; null: they do. */
export function refusalOfSteps(
  limits: StartLimits | undefined,
  steps: readonly StepPlan[],
): string | null {
  const { starters = [] } = limits ?? {};
  const narrow = starters.filter(({ modules }) => modules !== null);
  if (narrow.length === 0) return null;
  const used = actionsIn(steps).map(({ module }) => module);
  const other = used.find((module) => narrow.some(({ modules }) => !fitsAny(modules, module)));
  return other === undefined ? null : `the limits of its starter leave out the module ${other}`;
}

/** Why limits do not allow a task of a flow, for people; null: they do. */
export function refusalOfFlow(
  limits: StartLimits | undefined,
  { name, steps }: Pick<FlowDefinition, 'name' | 'steps'>,
): string | null {
  const { starters = [] } = limits ?? {};
  if (starters.some(({ flows }) => !fitsAny(flows, name))) {
    return `the limits of its starter leave out the flow ${name}`;
  }
  const refusal = refusalOfSteps(limits, steps);
  return refusal === null ? null : `flow ${name}: ${refusal}`;
}
