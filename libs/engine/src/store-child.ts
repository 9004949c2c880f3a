import type { Moved } from '#core';
import { messagesOf } from './dispatched.js';
import type { EngineParts } from './parts.js';
import type { StepRunner } from './step-runner.js';

/**
 * Stores a new task whose id follows from its parent, unless it is there, and has its first steps
 * started. Harmless where somebody else stored it before. Throws `StoreUnavailable`.
 */
export async function storeChild(
  { observer, store }: Pick<EngineParts, 'observer' | 'store'>,
  runner: StepRunner,
  moved: Moved,
): Promise<void> {
  const { entries, queued, task } = moved;
  await store.insert(task);
  observer.committed(task, entries);
  runner.writer.tell(task, moved);
  runner.onSoon(task);
  await runner.sender.send(messagesOf(store, task, queued));
}
