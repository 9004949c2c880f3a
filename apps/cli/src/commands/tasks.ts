import { nearName, plainLine } from '#wording';
import type { BackstepClient } from '../client/backstep-client.js';
import { followTask } from '../client/follow-task.js';
import { guard, quoted } from '../client/http.js';
import type {
  CauseReport,
  TaskEvent,
  TaskPage,
  TaskReceipt,
  TaskSummary,
  WrittenReport,
} from '../client/types.js';
import { eventLine } from '../drawing/event-line.js';
import { sayRemedies } from '../drawing/remedies.js';
import { outageTeller, printWholeTask, showTask } from '../drawing/show-task.js';
import { lastStack, stackLines } from '../drawing/stack-lines.js';
import { timeText } from '../drawing/words.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { RowStyle, Session } from '../session.js';
import type { Column } from '../terminal/table.js';
import { type Call, textOption } from '../tree/call.js';
import { idempotencyKey } from './idempotency-key.js';
import { type PageQuery, pagesOf, wantedItems } from './pages.js';
import { taskQuery } from './parameters.js';
import { sayWaiting } from './task-actions.js';
import { taskId } from './task-id.js';

const LIMIT = 50;

/** Options that restrict a list, named like the members of its query. */
const FILTERS = ['flow', 'status', 'parent', 'createdAfter', 'createdBefore'] as const;

type Row = TaskPage['items'][number];

/** When a task was made. */
export const createdColumn: Column<Pick<TaskReceipt, 'timeCreate'>> = {
  title: 'CREATED',
  value: ({ timeCreate }) => timeText(timeCreate),
};

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

const COUNT_STYLE: RowStyle<readonly [value: string, count: number]> = {
  name: ([value]) => value,
  columns: [
    { title: 'VALUE', value: ([value]) => value },
    { title: 'TASKS', value: ([, count]) => `${count}`, align: 'right' },
  ],
};

const CAUSE_STYLE: RowStyle<CauseReport> = {
  name: ({ code }) => code,
  columns: [
    { title: 'CODE', value: ({ code }) => code },
    { title: 'SINCE', value: ({ since }) => since ?? '-' },
    { title: 'NEXT', value: ({ next }) => next.map(({ action }) => action).join(', ') },
    { title: 'WHY', value: ({ message }) => message },
  ],
};

/** A value of a parameter in a list of all. */
interface WrittenRow extends WrittenReport {
  readonly key: string;
}

const PROVENANCE_STYLE: RowStyle<WrittenRow> = {
  name: ({ key }) => key,
  columns: [
    { title: 'KEY', value: ({ key }) => key },
    { title: 'VALUE', value: ({ value }) => JSON.stringify(value) },
    { title: 'WRITER', value: ({ writer }) => writerText(writer) },
    { title: 'AT', value: ({ at }) => (at === null ? '-' : timeText(at)) },
  ],
};

function isChild(row: Row): boolean {
  return isReadable(row) && row.parent !== null;
}

function isReadable(row: Row): row is TaskSummary {
  return !('reason' in row);
}

/** `task children` */
export async function taskChildren(session: Session, call: Call): Promise<void> {
  const parent = await taskId(session.listing(wantedItems(call, LIMIT)), call);
  return taskList(session, { ...call, options: { ...call.options, parent } }, parent);
}

/** `task list`; with `of`, the child tasks of that task, which must be there. */
export async function taskList(session: Session, call: Call, of?: string): Promise<void> {
  const query = taskQuery(call, FILTERS);
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
  for await (const page of pagesOf(ask, { wanted })) {
    count += page.length;
    if (streams) session.printRows(page, style);
    else tasks.push(...page);
    if (!streams) session.progress(`${count} tasks read`);
  }
  // A list finds no child tasks of a task that is not there.
  if (count === 0 && of !== undefined) await client.getTask(of);
  if (!streams) session.printRows(tasks, style);
  if (count === 0) await sayNone(session, client, query);
  // A limit that a person wrote is what they want.
  if (isCut && textOption(call, 'limit') === undefined) {
    session.say(`These are the newest ${count}. There are more: --all, or --limit <number>.`);
  }
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

/** `task get` */
export async function taskGet(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const id = await taskId(client, call);
  const task = await client.getTask(id);
  // Only a drawing needs them, for times more exact than seconds.
  const events = session.options.output === 'table' ? await client.events(id) : [];
  printWholeTask(session, { task, events });
}

/** `task count` */
export async function taskCount(session: Session, call: Call): Promise<void> {
  const query = { by: textOption(call, 'by'), q: textOption(call, 'query') };
  const found = await session.asking().ask('GET /v1/tasks:count', { query });
  if (session.options.output === 'json') session.printJson(found);
  else session.printRows(Object.entries(found.counts), COUNT_STYLE);
  const more = found.isComplete ? '' : ', and more that were not counted';
  session.say(`${found.total} tasks${more}`);
}

/** `task delete` */
export async function taskDelete(session: Session, call: Call): Promise<ExitCode> {
  const client = session.asking();
  const id = await taskId(client, call);
  const reason = textOption(call, 'reason')?.replaceAll(/\s+/g, ' ').trim();
  const headers = {
    ...guard(textOption(call, 'ifMatch')),
    'idempotency-key': quoted(await idempotencyKey(call)),
    // A header is one line of bytes: those of its UTF-8.
    ...(reason && { 'x-backstep-reason': Buffer.from(reason).toString('latin1') }),
  };
  const path = { taskId: id };
  const waiting = await client.ask('DELETE /v1/tasks/{taskId}', { path, headers });
  if (waiting) return sayWaiting(session, waiting);
  session.say(`${id} is gone.`);
  return EXIT.done;
}

/** `task watch` */
export async function taskWatch(session: Session, call: Call): Promise<ExitCode> {
  session.limit();
  const client = session.client();
  return showTask(session, client, await taskId(client, call));
}

/** `task why`: what keeps a task from moving, what to do about it, and how long is left. */
export async function taskWhy(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const id = await taskId(client, call);
  const explained = await client.ask('GET /v1/tasks/{taskId}/why', { path: { taskId: id } });
  if (session.options.output === 'json') session.printJson(explained);
  else session.printRows(explained.causes, CAUSE_STYLE);
  session.say(explained.moving ? 'It is moving.' : 'It is not moving.');
  if (explained.estimate) session.say(explained.estimate.message);
  if (session.options.output === 'table') {
    sayRemedies(session, id, explained.causes);
    for (const line of lastStack(await client.events(id).catch(() => []), session.sayPaint))
      session.say(line);
  }
}

/** `task events` */
export async function taskEvents(session: Session, call: Call): Promise<void> {
  if (call.options['follow'] !== true) {
    const asking = session.asking();
    const events = await asking.events(await taskId(asking, call));
    if (session.options.output === 'json') session.printJson(events);
    else printEvents(session, events);
    return;
  }
  session.limit();
  const client = session.client();
  await followTask(client, await taskId(client, call), {
    onEvents: (events) => printEvents(session, events),
    onOutage: outageTeller(session),
  });
}

/** While events still come, JSON is one object after the other. */
function printEvents(session: Session, events: readonly TaskEvent[]): void {
  for (const event of events) {
    switch (session.options.output) {
      case 'json':
      case 'jsonl':
        session.printJson(event);
        break;
      case 'name':
        session.print(event.kind);
        break;
      case 'table':
        session.print(eventLine(event, session.paint));
        for (const line of stackLines(event.stack ?? '', session.paint)) session.print(line);
        break;
    }
  }
}

/** `task provenance`: each value that a parameter had, the last one is what it has. */
export async function taskProvenance(session: Session, call: Call): Promise<void> {
  const client = session.asking();
  const found = await client.ask('GET /v1/tasks/{taskId}/provenance', {
    path: { taskId: await taskId(client, call) },
  });
  if (session.options.output === 'json') {
    session.printJson(found);
    return;
  }
  const rows = Object.entries(found).flatMap(([key, values]) => {
    return values.map((value) => ({ key, ...value }));
  });
  session.printRows(rows, PROVENANCE_STYLE);
}

function writerText(writer: WrittenReport['writer']): string {
  if (writer.kind === 'step') return `step ${writer.id}`;
  return writer.kind === 'person' ? `person ${writer.actor}` : writer.kind;
}
