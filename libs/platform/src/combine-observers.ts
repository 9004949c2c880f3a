import type { JournalEntry, Task } from '#core';
import type { DeliveryNews, Notice, Observer } from '#ports';

/** One observer that tells several, in this order. */
export function combineObservers(...observers: readonly Observer[]): Observer {
  return {
    committed(task: Task, entries: readonly JournalEntry[]): void {
      for (const observer of observers) observer.committed(task, entries);
    },
    noticed(notice: Notice): void {
      for (const observer of observers) observer.noticed(notice);
    },
    delivered(news: DeliveryNews): void {
      for (const observer of observers) observer.delivered?.(news);
    },
  };
}
