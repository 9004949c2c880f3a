import { isLimited, type Limits, seesTask } from '#access';
import type { JsonObject, Task } from '#core';
import { tallyAt } from '#core/children';
import { isParentStep } from '#core/flow';
import { stepAt } from '#core/scopes';
import { outputAt } from '#core/values';
import { isUnreadable, type ListedTask } from '#ports';
import type { OssOptions } from '../options.js';
import { seesListed } from './visible.js';

/** Ids of tasks that a caller does not see. */
export type HiddenIds = ReadonlySet<string>;

/** Where tasks are looked up by their ids. */
export type TaskSummaries = Pick<OssOptions, 'changes'>;

/** The caller sees all tasks that are named. */
export const NONE_HIDDEN: HiddenIds = new Set();

/** Tasks that are looked up at a time. */
const PAGE = 200;

/**
 * Those of these ids whose tasks the caller does not see. A task that is gone is one of them:
 * nobody can tell whether he would have seen it. Throws `StoreUnavailable`.
 */
export async function hiddenAmong(
  ids: readonly string[],
  principal: Limits,
  { changes }: TaskSummaries,
): Promise<HiddenIds> {
  if (ids.length === 0 || !isLimited(principal)) return NONE_HIDDEN;
  const hidden = new Set(ids);
  const all = [...hidden];
  for (let from = 0; from < all.length; from += PAGE) {
    const items = await changes.summaries(all.slice(from, from + PAGE));
    for (const item of items) if (seesListed(principal, item)) hidden.delete(item.taskId);
  }
  return hidden;
}

/**
 * The tasks that a task names and that the caller does not see: its parent, the task that it is a
 * restart of, its child tasks, the task of its failure flow. Throws `StoreUnavailable`.
 */
export async function hiddenIn(
  task: Task,
  principal: Limits,
  summaries: TaskSummaries,
): Promise<HiddenIds> {
  return (await hidingFor(task, principal, summaries))(task);
}

/**
 * The same, to be asked for each revision of the task: the tasks that it names by now are looked up
 * once. Throws `StoreUnavailable`.
 */
export async function hidingFor(
  { failureTask, plan: { parent, restartOf } }: Task,
  principal: Limits,
  summaries: TaskSummaries,
): Promise<(task: Task) => HiddenIds> {
  if (!isLimited(principal)) return () => NONE_HIDDEN;
  const named = [parent?.taskId, restartOf, failureTask?.taskId];
  const ids = named.filter((id) => typeof id === 'string');
  const before = await hiddenAmong(ids, principal, summaries);
  return (task) => new Set([...before, ...hiddenBelow(task, principal)]);
}

/** The tasks that a task has started and that the caller does not see. */
function hiddenBelow(task: Task, principal: Limits): readonly string[] {
  const { failureTask, plan, runs } = task;
  // Their labels are those of the task, so that their flow alone decides.
  const sees = (flow: string): boolean => seesTask(principal, { flow, labels: plan.labels });
  const failure = failureTask?.taskId ?? null;
  const isFailureHidden = failure !== null && !sees(plan.failureFlow ?? '');
  const children = runs.flatMap((_, place) => {
    const isParent = isParentStep(stepAt(task, place));
    const flow = (isParent ? tallyAt(task, place)?.flow?.name : null) ?? null;
    return flow === null || sees(flow) ? [] : childIds(outputAt(task, place));
  });
  return isFailureHidden ? [...children, failure] : children;
}

/** The ids in the output of a step that has child tasks: of one child task, or of a list. */
function childIds(output: JsonObject | null): readonly string[] {
  const { results } = output ?? {};
  const all = [output, ...(Array.isArray(results) ? results : [])] as (JsonObject | null)[];
  return all.flatMap((one) => (typeof one?.['taskId'] === 'string' ? [one['taskId']] : []));
}

/** A text in JSON, without its quotation marks, and what stands behind it. */
const TEXTS = /"([^"\\]*(?:\\.[^"\\]*)*)"(:?)/g;

/** An id of a task of this Backstep; imported tasks may have others. */
const ID = /[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}/g;

/** The same JSON without these ids: null for a value that is one, `***` for one within a text. */
export function withoutIds(json: string, hidden: HiddenIds): string {
  if (hidden.size === 0) return json;
  const others = [...hidden].filter((id) => id.replace(ID, '') !== '');
  const mask = (text: string): string => {
    const rest = others.reduce((left, id) => left.replaceAll(id, '***'), text);
    return rest.replaceAll(ID, (id) => (hidden.has(id) ? '***' : id));
  };
  return json.replaceAll(TEXTS, (_, text: string, colon: string) => {
    return colon === '' && hidden.has(text) ? 'null' : `"${mask(text)}"${colon}`;
  });
}

/** The entries of a list that the caller sees, without parents that it does not see. */
export async function asSeen(
  items: readonly ListedTask[],
  principal: Limits,
  summaries: TaskSummaries,
): Promise<readonly ListedTask[]> {
  if (!isLimited(principal)) return items;
  const seen = items.filter((item) => seesListed(principal, item));
  const parents = seen.flatMap((item) => parentOf(item) ?? []);
  const hidden = await hiddenAmong(parents, principal, summaries);
  if (hidden.size === 0) return seen;
  return seen.map((item) => (hidden.has(parentOf(item) ?? '') ? { ...item, parent: null } : item));
}

function parentOf(item: ListedTask): string | null {
  return isUnreadable(item) ? null : (item.parent?.taskId ?? null);
}
