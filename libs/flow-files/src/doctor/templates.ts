import { type JsonValue, type StepPlan, templatesOf } from '#core';

/** A part of a step in which expressions may stand. */
export interface TemplatePlace {
  /** From the step. */
  readonly path: readonly (string | number)[];
  readonly template: JsonValue;
  /** Where its expressions look from; `round`: the end of one, `item`: what a child sees. */
  readonly from: 'before' | 'behind' | 'round' | 'item';
}

/** The parts of a step in which expressions may stand, without those of the steps in it. */
export function* templatesIn(step: StepPlan): Generator<TemplatePlace> {
  if (step.if !== undefined) yield { path: ['if'], template: step.if, from: 'before' };
  for (const [i, { name }] of (step.locks ?? []).entries()) {
    yield { path: ['locks', i, 'name'], template: name, from: 'before' };
  }
  yield* templatesOf(step);
}
