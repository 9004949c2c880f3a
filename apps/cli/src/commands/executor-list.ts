import type { ExecutorReport } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';

const EXECUTOR_STYLE: RowStyle<ExecutorReport> = {
  name: ({ instance, module }) => `${module} ${instance}`,
  columns: [
    { title: 'MODULE', value: ({ module }) => module },
    { title: 'INSTANCE', value: ({ instance }) => instance },
    { title: 'HOST', value: ({ host }) => host },
    { title: 'VERSION', value: ({ version }) => version },
    { title: 'COMMANDS', value: ({ commands }) => commands.map(({ name }) => name).join(', ') },
    { title: 'BUSY', value: ({ busy, slots }) => `${busy}/${slots}` },
    { title: 'LAST SEEN', value: ({ lastSeen }) => lastSeen },
    { title: 'SILENT SINCE', value: ({ silentSince }) => silentSince ?? '-' },
  ],
};

/** `executor list` */
export async function executorList(session: Session): Promise<ExitCode> {
  session.printRows(await session.asking().listExecutors(), EXECUTOR_STYLE);
  return EXIT.done;
}
