import type { TaskPage, TaskSummary } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, listOption, textArg, textOption } from '../tree/call.js';
import { pagesOf, wantedItems } from './pages.js';
import { readPairs } from './parameters.js';
import { createdColumn } from './task-columns.js';

const LIMIT = 50;
/** Most tasks that a page may have. */
const PAGE_MAX = 200;

type Row = TaskPage['items'][number];

const STYLE: RowStyle<Row> = {
  name: ({ taskId }) => taskId,
  columns: [
    { title: 'TASK', value: ({ taskId }) => taskId },
    { title: 'FLOW', value: (row) => (isReadable(row) ? row.flow : '') },
    { title: 'STATUS', value: ({ status }) => status },
    {
      title: createdColumn.title,
      value: (row) => (isReadable(row) ? createdColumn.value(row) : ''),
    },
    { title: 'MESSAGE', value: (row) => (isReadable(row) ? (row.taskMessage ?? '') : row.reason) },
  ],
};

function isReadable(row: Row): row is TaskSummary {
  return !('reason' in row);
}

/** `task children` */
export function taskChildren(session: Session, call: Call): Promise<ExitCode> {
  const parent = textArg(call, 0);
  return taskList(session, { ...call, options: { ...call.options, parent } });
}

/** `task list` */
export async function taskList(session: Session, call: Call): Promise<ExitCode> {
  const query = readQuery(call);
  const wanted = wantedItems(call, LIMIT);
  const streams = ['jsonl', 'name'].includes(session.options.output);
  const tasks: Row[] = [];
  let count = 0;
  const client = session.asking();
  const ask = (page: Readonly<Record<string, string>>) => client.listTasks({ ...query, ...page });
  for await (const page of pagesOf(ask, { wanted, pageMax: PAGE_MAX })) {
    count += page.length;
    if (streams) session.printRows(page, STYLE);
    else tasks.push(...page);
  }
  if (!streams) session.printRows(tasks, STYLE);
  if (count === 0)
    session.say(query['parent'] ? 'No child task of it was found.' : 'There is no such task.');
  return EXIT.done;
}

function readQuery(call: Call): Record<string, string> {
  const labels = readPairs(listOption(call, 'label'), 'a label');
  const given = {
    flow: textOption(call, 'flow'),
    status: textOption(call, 'status'),
    parent: textOption(call, 'parent'),
    q: textOption(call, 'query'),
    ...Object.fromEntries(Object.entries(labels).map(([key, value]) => [`label.${key}`, value])),
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, string>;
}
