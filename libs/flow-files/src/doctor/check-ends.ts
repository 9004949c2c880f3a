import type { StepPlan } from '#core';
import { clip } from '../json-document.js';
import type { Examination } from './examination.js';
import { memberOf } from './list-view.js';

/** How a step ends the way of its list each time it is reached: with the task, or by failing. */
type End = 'task' | 'failure';

/** Warns of steps that are never reached, as one that they need always ends the way. */
export function checkEnds({ lists, origins, warnings }: Examination): void {
  for (const { steps } of lists) {
    for (const step of steps) {
      const last = step.needs.map((need) => steps[need]).find((need) => need && endOf(need));
      if (last === undefined) continue;
      const does = endOf(last) === 'task' ? 'ends the task' : 'always fails';
      const name = clip(last.name);
      const message = `Step \`${clip(step.name)}\` is never reached: \`${name}\` ${does}.`;
      const hint = `Remove the step, or give \`${name}\` an \`if\`.`;
      const pointer = memberOf(step, origins);
      warnings.add({ pointer, code: 'UNREACHABLE_STEP', message, hint });
    }
  }
}

/** How a step ends the way of its list each time it is reached; null: it does not. */
export function endOf(step: StepPlan): End | null {
  if (step.if !== undefined && step.if !== true) return null;
  const end = ownEndOf(step);
  if (end !== 'failure') return end;
  return step.optional === true || isCaught(step) ? null : end;
}

function isCaught(step: StepPlan): boolean {
  const clauses = step.catch ?? [];
  if (step.fail === undefined) return clauses.length > 0;
  const { code } = step.fail;
  return clauses.some(({ errors }) => errors.includes(code) || errors.includes('*'));
}

function ownEndOf(step: StepPlan): End | null {
  if (step.succeed !== undefined) return 'task';
  if (step.fail !== undefined) return 'failure';
  if (step.group !== undefined) return endOfList(step.group);
  if (step.loop !== undefined) return endOfList(step.loop.steps);
  if (step.parallel !== undefined) {
    return step.parallel.map(({ steps }) => endOfList(steps)).find((end) => end !== null) ?? null;
  }
  if (step.choice === undefined || step.otherwise === null) return null;
  const ends = [...step.choice.map(({ steps }) => steps), step.otherwise].map(endOfList);
  if (ends.includes(null)) return null;
  return ends.includes('failure') ? 'failure' : 'task';
}

// Lists are asked once for each list around them, so their ends are kept.
const ends = new WeakMap<readonly StepPlan[], End | 'open'>();

function endOfList(steps: readonly StepPlan[]): End | null {
  const known = ends.get(steps);
  if (known !== undefined) return known === 'open' ? null : known;
  let end: End | null = null;
  for (const step of steps) end ??= endOf(step);
  ends.set(steps, end ?? 'open');
  return end;
}
