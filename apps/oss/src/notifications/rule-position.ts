import type { NotificationPosition, Records } from '#ports';

type Positions = Pick<Records<NotificationPosition>, 'get' | 'put'>;

const TASKS = 'tasks';

/** Up to which change of tasks rules were looked at; 0: none was. Throws `StoreUnavailable`. */
export async function positionIn(positions: Positions): Promise<number> {
  return (await positions.get(TASKS))?.position ?? 0;
}

/** Moves it on; it never goes back, whoever else moves it. Throws `StoreUnavailable`. */
export async function moveTo(positions: Positions, position: number): Promise<void> {
  for (;;) {
    const before = await positions.get(TASKS);
    if (before !== null && before.position >= position) return;
    if (await positions.put({ of: TASKS, position }, before)) return;
  }
}
