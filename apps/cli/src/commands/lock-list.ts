import type { LockReport } from '../client/types.js';
import { signOf, TASK_SIGNS } from '../drawing/words.js';
import type { RowStyle, Session } from '../session.js';

const LOCK_STYLE: RowStyle<LockReport> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'SLOTS', value: ({ slots }) => String(slots) },
    { title: 'HELD BY', value: ({ holders }) => holders.map(holderText).join(', ') },
    { title: 'WAITING', value: ({ waiting }) => String(waiting.length) },
  ],
};

/** A holder, and how it stands: one that waits for a person keeps the lock until then. */
function holderText({ flow, status, taskId }: LockReport['holders'][number]): string {
  return flow === null ? taskId : `${taskId} (${flow}, ${signOf(TASK_SIGNS, status ?? '').word})`;
}

/** `lock list` */
export async function lockList(session: Session): Promise<void> {
  session.printRows(await session.asking().listLocks(), LOCK_STYLE);
}
