import { fitsPattern } from '#access';
import { isAlertTask } from '#core';
import { type TaskSummary, waitsForPerson } from '#core/stored';
import { isUnreadable, type ListedTask, type TaskFilter } from '#ports';
import { asksForAlerts, type TaskSearch } from '../requests/task-search.js';

/** Which tasks somebody wants to hear of. */
export interface TaskInterest {
  readonly filter: TaskFilter;
  /** Absent: no search text was given. */
  readonly search?: TaskSearch | undefined;
}

/**
 * Whether a task fits, as a list would find it. Of one that cannot be read nothing is known that a
 * limit or a filter could go by.
 */
export function fitsInterest(
  item: ListedTask,
  { filter, search }: TaskInterest,
  now: number,
): boolean {
  if (isUnreadable(item)) return isEmpty(filter) && search === undefined;
  if (isAlertTask(item.parent) && !asksForAlerts(filter, search)) return false;
  return fitsFilter(item, filter) && (search === undefined || fitsSearch(item, search, now));
}

function isEmpty(filter: TaskFilter): boolean {
  for (const _ in filter) return false;
  return true;
}

function fitsFilter(task: TaskSummary, filter: TaskFilter): boolean {
  if (filter.flow !== undefined && task.flow !== filter.flow) return false;
  if (filter.statuses?.includes(task.status) === false) return false;
  if (filter.waitsForPerson === true && !waitsForPerson(task)) return false;
  if (filter.parent !== undefined && task.parent?.taskId !== filter.parent) return false;
  if (filter.isTopLevel === true && task.parent !== null) return false;
  if (task.createdAt < (filter.createdAfter ?? -Infinity)) return false;
  if (task.createdAt >= (filter.createdBefore ?? Infinity)) return false;
  return hasAll(task.labels, Object.entries(filter.labels ?? {}));
}

function fitsSearch(task: TaskSummary, search: TaskSearch, now: number): boolean {
  const age = now - task.createdAt;
  const message = (task.message ?? '').toLowerCase();
  return (
    search.flows.every((patterns) => patterns.some((one) => fitsPattern(one, task.flow))) &&
    search.statuses.every((statuses) => statuses.includes(task.status)) &&
    hasAll(task.labels, search.labels) &&
    hasAll(task.origin ?? {}, Object.entries(search.origin)) &&
    (!search.isTopLevel || task.parent === null) &&
    (!search.waitsForPerson || waitsForPerson(task)) &&
    search.texts.every((text) => message.includes(text)) &&
    search.olderThanMs.every((ms) => age > ms) &&
    search.youngerThanMs.every((ms) => age <= ms)
  );
}

function hasAll(own: object, wanted: readonly (readonly [string, string])[]): boolean {
  const entries = new Map<string, unknown>(Object.entries(own));
  return wanted.every(([name, value]) => entries.get(name) === value);
}
