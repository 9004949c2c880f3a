import type { AttemptPage } from '../client/types.js';
import { progressText } from '../drawing/task-view.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, textOptions } from '../tree/call.js';
import { itemsOf, wantedItems } from './pages.js';

const LIMIT = 50;
const FILTERS = ['executor', 'step', 'module', 'flow', 'direction', 'age'] as const;

type Row = AttemptPage['items'][number];

const STYLE: RowStyle<Row> = {
  name: ({ id, taskId }) => `${taskId} ${id}`,
  columns: [
    { title: 'TASK', value: ({ taskId }) => taskId, short: ({ taskId }) => `…${taskId.slice(-8)}` },
    { title: 'FLOW', value: ({ flow }) => flow },
    { title: 'STEP', value: ({ direction, id }) => (direction === 'rollback' ? `undo ${id}` : id) },
    { title: 'COMMAND', value: ({ command, module }) => `${module}.${command}` },
    { title: 'ATTEMPT', value: ({ attempt }) => `${attempt}`, align: 'right' },
    { title: 'EXECUTOR', value: ({ executor }) => executor },
    { title: 'BUILD', value: ({ build }) => build ?? '-' },
    { title: 'SINCE', value: ({ since }) => since.slice(0, 19).replace('T', ' ') },
    { title: 'SECONDS', value: ({ age }) => `${Math.round(age)}`, align: 'right' },
    { title: 'PROGRESS', value: ({ progress }) => progressText(progress) ?? '-' },
    { title: 'DEADLINE', value: ({ deadline }) => deadline?.slice(0, 19).replace('T', ' ') ?? '-' },
  ],
};

/** `attempt list` */
export async function attemptList(session: Session, call: Call): Promise<void> {
  const wanted = wantedItems(call, LIMIT);
  const filter = textOptions(call, FILTERS);
  const client = session.listing(wanted);
  const found = await itemsOf(
    (page) => client.ask('GET /v1/attempts', { query: { ...filter, ...page } }),
    { wanted },
  );
  session.printRows(found, STYLE);
}
