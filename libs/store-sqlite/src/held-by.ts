import type { Task } from '#core';
import { ownersOf } from '#core/read';
import { type HeldPage, type HeldQuery, isUnreadable, type WalkedTask } from '#ports';

/** A page of the tasks of a walk that a session holds, in the order of their ids. */
export async function heldBy(
  session: string,
  { after = '', limit }: HeldQuery,
  walk: AsyncIterable<WalkedTask>,
): Promise<HeldPage> {
  const held: Task[] = [];
  for await (const { item } of walk) {
    if (!isUnreadable(item) && ownersOf(item).includes(session)) held.push(item);
  }
  held.sort((one, other) => (one.plan.taskId < other.plan.taskId ? -1 : 1));
  const rest = held.filter(({ plan }) => plan.taskId > after);
  const tasks = rest.slice(0, limit);
  return { tasks, next: rest.length > limit ? tasks.at(-1)!.plan.taskId : null };
}
