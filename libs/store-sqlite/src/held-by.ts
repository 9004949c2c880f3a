import { ownersOf, type Task } from '#core';
import { isUnreadable, type WalkedTask } from '#ports';

/** The tasks of a walk that a session holds, in the order of their ids. */
export async function heldBy(
  session: string,
  walk: AsyncIterable<WalkedTask>,
): Promise<readonly Task[]> {
  const held: Task[] = [];
  for await (const { item } of walk) {
    if (!isUnreadable(item) && ownersOf(item).includes(session)) held.push(item);
  }
  return held.sort((one, other) => (one.plan.taskId < other.plan.taskId ? -1 : 1));
}
