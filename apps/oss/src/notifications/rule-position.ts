import { type NotificationPosition, nullWhereUnreadable, RecordUnreadable } from '#ports';
import type { Records } from '#ports';

type Positions = Pick<Records<NotificationPosition>, 'get' | 'put'>;

const TASKS = 'tasks';

/**
 * Up to which change of tasks rules were looked at; 0: none was, or nobody can read it. A fact that
 * is found twice is told once. Throws `StoreUnavailable`.
 */
export async function positionIn(positions: Positions): Promise<number> {
  return (await positions.get(TASKS).catch(nullWhereUnreadable))?.position ?? 0;
}

/** Moves it on; it never goes back, whoever else moves it. Throws `StoreUnavailable`. */
export async function moveTo(positions: Positions, position: number): Promise<void> {
  for (;;) {
    const before = await positions.get(TASKS).catch(unreadable);
    const isThere = before !== null && !(before instanceof RecordUnreadable);
    if (isThere && before.position >= position) return;
    if (await positions.put({ of: TASKS, position }, before)) return;
  }
}

function unreadable(error: unknown): RecordUnreadable {
  if (error instanceof RecordUnreadable) return error;
  throw error;
}
