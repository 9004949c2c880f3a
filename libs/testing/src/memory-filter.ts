import { isAlertTask, type Task } from '#core';
import { ownersOf } from '#core/read';
import { searchTermsOf, summaryOf, waitsForPerson } from '#core/stored';
import type { TaskFilter } from '#ports';

/** Whether a task is one of those that a filter means, wherever a page begins. */
export function fitsFilter(task: Task, query: TaskFilter): boolean {
  const { plan, status } = task;
  if (query.flow !== undefined && plan.flow !== query.flow) return false;
  if (query.flows !== undefined && !query.flows.includes(plan.flow)) return false;
  if (query.statuses !== undefined && !query.statuses.includes(status)) return false;
  if (query.parent !== undefined && plan.parent?.taskId !== query.parent) return false;
  if (query.isTopLevel === true && plan.parent !== null) return false;
  if (query.withoutAlerts === true && isAlertTask(plan.parent)) return false;
  if (!plan.taskId.startsWith(query.idPrefix ?? '')) return false;
  if (query.waitsForPerson === true && !waitsForPerson(summaryOf(task))) return false;
  if (!fitsTerms(task, query)) return false;
  if (plan.createdAt < (query.createdAfter ?? -Infinity)) return false;
  if (plan.createdAt >= (query.createdBefore ?? Infinity)) return false;
  const hasAll = (wanted: object = {}, own: object = {}): boolean => {
    const entries = new Map<string, unknown>(Object.entries(own));
    return Object.entries(wanted).every(([name, value]) => entries.get(name) === value);
  };
  return hasAll(query.labels, plan.labels) && hasAll(query.origin, plan.origin);
}

function fitsTerms(task: Task, { owners: wanted, terms: lists = [] }: TaskFilter): boolean {
  const terms = lists.length === 0 ? [] : searchTermsOf(task);
  if (!lists.every((list) => list.some((term) => terms.includes(term)))) return false;
  const owners = wanted === undefined ? [] : ownersOf(task);
  if (wanted === undefined || wanted === 'any') return wanted === undefined || owners.length > 0;
  return owners.some((owner) => wanted.includes(owner));
}
