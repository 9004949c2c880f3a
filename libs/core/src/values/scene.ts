import { parametersAt, resultsFor } from './parameters.js';
import { firstPlace, scopeAt, scopeBelow, stepAt, stepsIn } from '../scopes/step-at.js';
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
  const round = roundAsked(task, ref);
  return {
    parameters: parametersAt(task, ref),
    input: parameters,
    steps: resultsFor(task, ref),
    states: { ...statesAround(task, ref.step), ...(round !== null && statesIn(task, round)) },
    task: {
      id: taskId,
      flow,
      version: flowVersion,
      labels,
      createdAt: Math.floor(createdAt / 1_000),
    },
    index: round === null ? roundAround(task, ref.step) : roundOf(task, round),
    now: run?.orderAt ?? run?.startedAt ?? createdAt,
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
  const around = below === null ? {} : statesAround(task, below.holder);
  return { ...around, ...statesIn(task, scope) };
}

function statesIn(task: Task, scope: number): Readonly<Record<string, string>> {
  const first = firstPlace(task, scope);
  const own = stepsIn(task, scope).map(({ name }, n): [string, string] => {
    return [name, task.runs[first + n]?.normal.state ?? 'pending'];
  });
  return Object.fromEntries(own);
}

/** The round that has just ended, where an action asks after one; else null. */
function roundAsked(task: Task, { direction, step }: ActionRef): number | null {
  const isUnderWay = direction === 'normal' && task.runs[step]?.normal.state === 'running';
  if (!isUnderWay || stepAt(task, step)?.loop === undefined) return null;
  return heldBy(task, step).done.at(-1) ?? null;
}

/** The number of the round in which a place lies, from 0 on; null: it is in none. */
function roundAround(task: Task, place: number): number | null {
  const scope = scopeAt(task, place);
  const below: Scope | null = scopeBelow(task, scope);
  // All of a child task is about one item of its parent's list.
  if (below === null) return itemNumber(task.plan.parent);
  return below.kind === 'round' ? roundOf(task, scope) : roundAround(task, below.holder);
}

/** Rounds that a person had begun again after all were undone count from 0, too. */
function roundOf(task: Task, scope: number): number {
  const { done } = heldBy(task, scopeBelow(task, scope)?.holder ?? 0);
  const at = done.indexOf(scope);
  return at < 0 ? done.length : at;
}
