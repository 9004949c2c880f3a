import type { JsonValue, StepPlan } from '#core';

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
  const before = (template: JsonValue, ...path: (string | number)[]): TemplatePlace => {
    return { path, template, from: 'before' };
  };
  if (step.if !== undefined) yield before(step.if, 'if');
  for (const [i, { name }] of (step.locks ?? []).entries()) yield before(name, 'locks', i, 'name');
  const { normal, rollback } = step;
  if (normal?.parameters) yield before(normal.parameters, 'normal', 'parameters');
  if (rollback?.parameters) {
    yield { path: ['rollback', 'parameters'], template: rollback.parameters, from: 'behind' };
  }
  if (step.group !== undefined && step.forEach !== undefined) {
    yield before(step.forEach.in, 'retry', 'forEach');
  }
  for (const [i, { when }] of (step.choice ?? []).entries())
    yield before(when, 'choice', i, 'when');
  if (step.loop !== undefined) yield* templatesInLoop(step.loop);
  if (step.foreach !== undefined) yield* templatesInForeach(step.foreach);
  for (const [name, value] of Object.entries(step.flow ?? {})) yield before(value, 'flow', name);
  if (step.dynamic !== undefined) yield before(step.dynamic.steps, 'dynamic', 'steps');
  if (step.set !== undefined) yield before(step.set, 'set');
  for (const [name, value] of Object.entries(step.wait ?? {})) {
    if (name === 'for' || name === 'until') yield before(value, 'wait', name);
  }
  if (step.approve !== undefined) yield before(step.approve.title, 'approve', 'title');
  if (step.succeed !== undefined) yield before(step.succeed.output, 'succeed', 'output');
  if (step.fail !== undefined) yield before(step.fail.message, 'fail', 'message');
}

function* templatesInLoop(loop: NonNullable<StepPlan['loop']>): Generator<TemplatePlace> {
  for (const name of ['while', 'until', 'delay'] as const) {
    const template = loop[name];
    if (template !== null) yield { path: ['loop', name], template, from: 'round' };
  }
}

function* templatesInForeach(foreach: NonNullable<StepPlan['foreach']>): Generator<TemplatePlace> {
  const { flow, in: items, parameters } = foreach;
  yield { path: ['foreach', 'in'], template: items, from: 'before' };
  if (flow !== null) yield { path: ['foreach', 'flow'], template: flow, from: 'before' };
  if (parameters === null) return;
  yield { path: ['foreach', 'parameters'], template: parameters, from: 'item' };
}
