import { numberOf } from './child-rounds.js';
import type { ChildrenPlan } from './children.js';
import type { FlowVersion } from '../flow/flow.js';
import { type JsonObject, type JsonValue, mergeParameters } from '../json/json.js';
import { parametersAt } from '../values/parameters.js';
import type { ParentOfTask } from '../task/parent.js';
import { stepAt } from '../scopes/step-at.js';
import { hasExpression, type Question } from '../task/question.js';
import { sceneOf } from '../values/scene.js';
import { referencesKnownTo } from '../secrets/secret-reference.js';
import { sealOwner } from '../secrets/sealed-value.js';
import type { FlowOfTask, Task, TaskRequest } from '../task/task.js';
import { traceparentOf } from '../task/trace-context.js';
import { normalOf } from '../task/action-ref.js';

/** The text of which the id of a child task is made: the same for the same child alone. */
export function childKey({ plan }: Pick<Task, 'plan'>, run: string, index: number): string {
  return `${plan.taskId} ${run} ${index}`;
}

/** The part that all child tasks of a step share, computed once for all that start together. */
export interface ChildSource {
  readonly task: Task;
  readonly children: ChildrenPlan;
  /** The parameters that they inherit from the place of the step. */
  readonly inherited: JsonObject;
}

/** Collects the data that all child tasks of a step share. */
export function childSource(task: Task, children: ChildrenPlan): ChildSource {
  const { holder, tally } = children;
  const isPart = tally.flow === null;
  return {
    task,
    children,
    inherited: isPart ? inheritedAt(task, holder, children.items) : NOTHING,
  };
}

const NOTHING: JsonObject = Object.freeze({});

/** Without the list that `in` names, which each of its children would store once more. */
function inheritedAt(task: Task, holder: number, items: readonly JsonValue[]): JsonObject {
  const { in: list } = stepAt(task, holder)?.foreach ?? {};
  const named = LAST_NAME.exec(typeof list === 'string' ? list : '')?.[1] ?? '';
  const all = parametersAt(task, normalOf(holder));
  const { [named]: value, ...others } = all;
  return isSameList(value, items) ? others : all;
}

/** `hosts` of `{% hosts %}`, of `{% $input.hosts %}` and of `{% $steps.find.hosts %}`. */
const LAST_NAME = /(\w+)\s*%\}$/;

function isSameList(value: JsonValue | undefined, items: readonly JsonValue[]): boolean {
  if (!Array.isArray(value) || value.length !== items.length) return false;
  return JSON.stringify(value) === JSON.stringify(items);
}

/** The question to answer before a child task can be made; null: there is none. */
export function childQuestion({ children, task }: ChildSource, index: number): Question | null {
  const { holder, items } = children;
  const { as, parameters } = stepAt(task, holder)?.foreach ?? { as: '', parameters: null };
  if (parameters === null || !hasExpression(parameters)) return null;
  const scene = sceneOf(task, normalOf(holder));
  const number = numberOf({ round: children, index });
  const own = { [as]: items[number] ?? null };
  return {
    members: [{ name: 'parameters', template: parameters, as: 'object' }],
    scene: { ...scene, parameters: { ...scene.parameters, ...own }, index: number },
  };
}

/**
 * The request for a child task. `known`: the answer to its question, null where there is none. Its
 * labels and priority are those of its parent, so that a reader of one may see the other, and so
 * are the limits that bind it.
 */
export function childRequest(
  { children, inherited: around, task }: ChildSource,
  index: number,
  known: JsonObject | null,
): TaskRequest {
  const { holder, items, run, tally } = children;
  const { labels, limits, parent, priority, starter, taskId } = task.plan;
  const number = numberOf({ round: children, index });
  const own: ParentOfTask = {
    taskId,
    run,
    index,
    ...(number !== index && { item: number }),
    isPart: tally.flow === null,
    depth: (parent?.depth ?? 0) + 1,
    ...(parent !== null && { root: sealOwner(task.plan) }),
  };
  const each = stepAt(task, holder)?.foreach;
  const item = items[number] ?? null;
  const given = known ?? ((each?.parameters ?? {}) as JsonObject);
  const parameters =
    each === undefined
      ? (item as JsonObject)
      : mergeParameters([around, { [each.as]: item }, given]);
  const { hasSecrets } = task;
  const handedOn = hasSecrets ? [...referencesKnownTo(task)] : [];
  const references = handedOn.length > 0 ? handedOn : undefined;
  const actor = `task ${taskId}`;
  const traceparent = traceparentOf(task.plan);
  const inherited = { labels, limits, priority, starter, traceparent, references, hasSecrets };
  return { parameters, parent: own, actor, ...inherited };
}

/** The flow of child tasks that run steps of their parent's. */
export function partOfFlow({ children, task }: ChildSource): FlowOfTask {
  const { flow: name, flowVersion: version } = task.plan;
  const steps = stepAt(task, children.holder)?.foreach?.steps ?? [];
  const nothing = { description: null, input: null, timeoutMs: null };
  const definition: FlowVersion['definition'] = { name, ...nothing, steps };
  return { definition, version };
}
