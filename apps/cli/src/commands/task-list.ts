import type { BackstepClient } from '../client/backstep-client.js';
import type { TaskPage, TaskSummary } from '../client/types.js';
import { CliError, EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import { type Call, listOption, textOption } from '../tree/call.js';
import { readNumber, readPairs } from './parameters.js';
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

/** `task list` */
export async function taskList(session: Session, call: Call): Promise<ExitCode> {
  const query = readQuery(call);
  const limit = readNumber(textOption(call, 'limit'), '--limit') ?? LIMIT;
  if (limit < 1) throw new CliError(EXIT.usage, '--limit must be at least 1');
  const wanted = call.options['all'] === true ? Infinity : limit;
  const streams = ['jsonl', 'name'].includes(session.options.output);
  const tasks: Row[] = [];
  let count = 0;
  for await (const page of pagesOf(session.asking(), query, wanted)) {
    count += page.length;
    if (streams) session.printRows(page, STYLE);
    else tasks.push(...page);
  }
  if (!streams) session.printRows(tasks, STYLE);
  if (count === 0) session.say('There is no such task.');
  return EXIT.done;
}

function readQuery(call: Call): Record<string, string> {
  const labels = readPairs(listOption(call, 'label'), 'a label');
  const given = {
    flow: textOption(call, 'flow'),
    status: textOption(call, 'status'),
    ...Object.fromEntries(Object.entries(labels).map(([key, value]) => [`label.${key}`, value])),
  };
  const known = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(known) as Record<string, string>;
}

async function* pagesOf(
  client: BackstepClient,
  query: Readonly<Record<string, string>>,
  wanted: number,
): AsyncGenerator<readonly Row[]> {
  let left = wanted;
  let cursor: string | null = null;
  do {
    const limit = `${Math.min(left, PAGE_MAX)}`;
    const { items, page } = await client.listTasks({
      ...query,
      limit,
      ...(cursor !== null && { cursor }),
    });
    yield items;
    left -= items.length;
    cursor = page.nextCursor;
  } while (cursor !== null && left > 0);
}
