import { roundsHeld } from '../task/held-scopes.js';
import { parametersAt, resultsFor } from './parameters.js';
import { firstPlace, scopeAt, scopeBelow, stepsIn } from '../scopes/step-at.js';
import { itemNumber } from '../task/parent.js';
import { heldBy } from '../scopes/scope-index.js';
import type { Scene } from '../task/question.js';
import type { Scope } from '../task/scope.js';
import type { Task } from '../task/task.js';
import type { ActionRef } from '../task/action-ref.js';

/** The names that the expressions of a step can read. */
export function sceneOf(task: Task, ref: ActionRef): Scene {
  const { createdAt, flow, flowVersion, labels, parameters, taskId } = task.plan;
  const both = task.runs[ref.step];
  const run = ref.direction === 'normal' ? both?.normal : both?.rollback;
  return {
    parameters: parametersAt(task, ref),
    input: parameters,
    steps: resultsFor(task, ref),
    states: statesAround(task, ref.step),
    task: {
      id: taskId,
      flow,
      version: flowVersion,
      labels,
      createdAt: Math.floor(createdAt / 1_000),
    },
    index: roundOf(task, ref.step) ?? roundAround(task, ref.step),
    now: run?.orderAt ?? createdAt,
  };
}

/** The names that expressions of the whole task can read, before any step of it has begun. */
export function sceneOfTask({ plan }: Pick<Task, 'plan'>): Scene {
  const { constants, createdAt, flow, flowVersion: version, labels, parameters, taskId } = plan;
  return {
    parameters: { ...constants, ...parameters },
    input: parameters,
    steps: {},
    states: {},
    task: { id: taskId, flow, version, labels, createdAt: Math.floor(createdAt / 1_000) },
    index: itemNumber(plan.parent),
    now: createdAt,
  };
}

/** States of the steps in the lists around a place; the nearest wins. */
function statesAround(task: Task, place: number): Readonly<Record<string, string>> {
  const scope = scopeAt(task, place);
  const below = scopeBelow(task, scope);
  const first = firstPlace(task, scope);
  const own = stepsIn(task, scope).map(({ name }, n): [string, string] => {
    return [name, task.runs[first + n]?.normal.state ?? 'pending'];
  });
  const around = below === null ? {} : statesAround(task, below.holder);
  return { ...around, ...Object.fromEntries(own) };
}

/** The number of the last round of a step that asks after it; null: it asks nothing of the kind. */
function roundOf(task: Task, place: number): number | null {
  const held = heldBy(task, place);
  if (held.entered === 0) return null;
  return Math.max(...held.lists.map((list) => roundsHeld(held, task.scopes, list))) - 1;
}

/** The number of the round in which a place lies, from 0 on; null: it is in none. */
function roundAround(task: Task, place: number): number | null {
  const below: Scope | null = scopeBelow(task, scopeAt(task, place));
  // All of a child task is about one item of its parent's list.
  if (below === null) return itemNumber(task.plan.parent);
  return below.kind === 'round' ? below.round - 1 : roundAround(task, below.holder);
}
