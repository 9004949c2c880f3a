import { DEFAULT_TIMING } from '#core';
import { rollbackPlan } from '#core/read';
import { stepAt } from '#core/scopes';
import type { NextStep, Situation } from './cause.js';

/** The rollback that can be done to a task now: all the way, down to a step, or none. */
export function rollbacks({ now, task }: Situation): readonly NextStep[] {
  const moment = { now, chance: 0.5, timing: DEFAULT_TIMING };
  const { obstacle, pivot, to } = rollbackPlan(task, moment, { max: 0 });
  if (obstacle === null) return [{ action: 'rollback', label: 'Roll the task back' }];
  if (to === null) return [];
  const name = (place: number | null): string => stepAt(task, place ?? -1)?.name ?? '';
  const label = `Roll the task back down to step ${name(to)}; step ${name(pivot)} is a point of no return`;
  return [{ action: 'rollback', label, to: name(to) }];
}
