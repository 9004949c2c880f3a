import { nearName, plainLine } from '#wording';
import type { BackstepClient } from '../client/backstep-client.js';
import type { TaskPage, TaskSummary } from '../client/types.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, listOption, textOption } from '../tree/call.js';
import { type PageQuery, pagesOf, wantedItems } from './pages.js';
import { readPairs } from './parameters.js';
import { createdColumn } from './task-columns.js';
import { taskId } from './task-id.js';

const LIMIT = 50;
/** Most tasks that a page may have. */
const PAGE_MAX = 200;

type Row = TaskPage['items'][number];

/** Rows of child tasks, which are all of a list or none of it. */
const CHILDREN: RowStyle<Row> = {
  name: ({ taskId }) => taskId,
  columns: [
    { title: 'TASK', value: ({ taskId }) => taskId, short: ({ taskId }) => `…${taskId.slice(-8)}` },
    { title: 'FLOW', value: (row) => (isReadable(row) ? row.flow : '') },
    { title: 'STATUS', value: ({ status }) => status },
    {
      title: createdColumn.title,
      value: (row) => (isReadable(row) ? createdColumn.value(row) : ''),
    },
    { title: 'MESSAGE', value: (row) => (isReadable(row) ? (row.taskMessage ?? '') : row.reason) },
  ],
};

/** Rows of any tasks: an arrow tells a child task from its parent. */
const MIXED: RowStyle<Row> = {
  ...CHILDREN,
  columns: CHILDREN.columns.map((column) => {
    if (column.title !== 'FLOW') return column;
    return { ...column, value: (row) => `${isChild(row) ? '↳ ' : ''}${column.value(row)}` };
  }),
};

function isChild(row: Row): boolean {
  return isReadable(row) && row.parent !== null;
}

function isReadable(row: Row): row is TaskSummary {
  return !('reason' in row);
}

/** `task children` */
export async function taskChildren(session: Session, call: Call): Promise<ExitCode> {
  const parent = await taskId(session.listing(wantedItems(call, LIMIT)), call);
  return taskList(session, { ...call, options: { ...call.options, parent } });
}

/** `task list` */
export async function taskList(session: Session, call: Call): Promise<ExitCode> {
  const query = readQuery(call);
  const wanted = wantedItems(call, LIMIT);
  const streams = ['jsonl', 'name'].includes(session.options.output);
  const tasks: Row[] = [];
  let count = 0;
  let isCut = false;
  const client = session.listing(wanted);
  const style = query['parent'] === undefined ? MIXED : CHILDREN;
  const ask = async (page: PageQuery): Promise<TaskPage> => {
    const answer = await client.listTasks({ ...query, ...page });
    isCut = answer.page.nextCursor !== null;
    return answer;
  };
  for await (const page of pagesOf(ask, { wanted, pageMax: PAGE_MAX })) {
    count += page.length;
    if (streams) session.printRows(page, style);
    else tasks.push(...page);
    if (!streams) session.progress(`${count} tasks read`);
  }
  if (!streams) session.printRows(tasks, style);
  if (count === 0) await sayNone(session, client, query);
  // A limit that somebody wrote is what they want.
  if (isCut && textOption(call, 'limit') === undefined) {
    session.say(`These are the newest ${count}. There are more: --all, or --limit <number>.`);
  }
  return EXIT.done;
}

/** Says that no task was found, and which flow may have been meant. */
async function sayNone(
  session: Session,
  client: BackstepClient,
  { flow, parent }: Readonly<Record<string, string>>,
): Promise<void> {
  session.say(parent === undefined ? 'No task matches.' : 'No child task of it was found.');
  if (flow === undefined) return;
  // A list without tasks is an answer, whatever becomes of this question.
  const { items } = await client.listFlows().catch(() => ({ items: [] }));
  const names = items.map(({ name }) => name);
  if (names.length === 0 || names.includes(flow)) return;
  const near = nearName(flow, names);
  const meant = near === undefined ? '' : ` Did you mean ${near}?`;
  session.say(`There is no flow ${plainLine(flow)}.${meant}`);
}

function readQuery(call: Call): Record<string, string> {
  const labels = readPairs(listOption(call, 'label'), 'a label');
  const given = {
    flow: textOption(call, 'flow'),
    status: textOption(call, 'status'),
    parent: textOption(call, 'parent'),
    createdAfter: textOption(call, 'createdAfter'),
    createdBefore: textOption(call, 'createdBefore'),
    q: textOption(call, 'query'),
    ...Object.fromEntries(Object.entries(labels).map(([key, value]) => [`label.${key}`, value])),
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, string>;
}
