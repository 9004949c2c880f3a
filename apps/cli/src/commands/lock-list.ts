import type { LockReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';

const LOCK_STYLE: RowStyle<LockReport> = {
  name: ({ name }) => name,
  columns: [
    { title: 'NAME', value: ({ name }) => name },
    { title: 'SLOTS', value: ({ slots }) => String(slots) },
    { title: 'HELD BY', value: ({ holders }) => holders.map(({ taskId }) => taskId).join(', ') },
    { title: 'WAITING', value: ({ waiting }) => String(waiting.length) },
  ],
};

/** `lock list` */
export async function lockList(session: Session): Promise<ExitCode> {
  session.printRows(await session.asking().listLocks(), LOCK_STYLE);
  return EXIT.done;
}
