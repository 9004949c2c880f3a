import type { Moved } from '#core';
import { messagesOf } from './dispatched.js';
import type { EngineParts } from './parts.js';
import type { StepRunner } from './step-runner.js';

/**
 * Stores a new task whose id follows from what it is for, and has its first steps started. One that
 * is there already is left to whoever stored it, and to its own time: its flow may be of another
 * version. Throws `StoreUnavailable`.
 */
export async function storeChild(
  { observer, store }: Pick<EngineParts, 'observer' | 'store'>,
  runner: StepRunner,
  moved: Moved,
): Promise<void> {
  const { entries, queued, task } = moved;
  const { kind } = await store.insert(task);
  if (kind !== 'inserted') return;
  observer.committed(task, entries);
  runner.writer.tell(task, moved);
  runner.onSoon(task);
  await runner.sender.send(messagesOf(store, task, queued));
}
