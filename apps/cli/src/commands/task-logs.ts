import { plainLine, plainSpaced } from '#wording';
import type { BackstepClient } from '../client/backstep-client.js';
import { rest } from '../client/http.js';
import { Outage } from '../client/outage.js';
import type { LogLine } from '../client/types.js';
import { outageTeller } from '../drawing/show-task.js';
import { EXIT, type ExitCode } from '../exit.js';
import type { Paint, Session } from '../session.js';
import { type Call, textOptions } from '../tree/call.js';
import { type PageQuery, pagesOf } from './pages.js';
import { taskId } from './task-id.js';

const PAGE_MAX = 1_000;
const FILTERS = ['step', 'run', 'direction', 'attempt'] as const;

/** Before a stream that ended is asked for again, in milliseconds. */
const PAUSE_MS = 1_000;

type Filter = Readonly<Record<string, string>>;

const COLOURS: Readonly<Record<string, 'dim' | 'red' | 'yellow'>> = {
  debug: 'dim',
  warn: 'yellow',
  error: 'red',
};

/** Marks of attempts of a rollback, and of the alert about a rollback that failed. */
const MARKS: Readonly<Record<string, string>> = { rollback: '↩ ', alert: '⚠ ' };

/** `task logs` */
export async function taskLogs(session: Session, call: Call): Promise<ExitCode> {
  const filter = textOptions(call, FILTERS);
  if (call.options['follow'] === true) return follow(session, call, filter);
  const client = session.listing(Infinity);
  const id = await taskId(client, call);
  const limits = { wanted: Infinity, pageMax: PAGE_MAX };
  const at = 'GET /v1/tasks/{taskId}/logs';
  const ask = (page: PageQuery) =>
    client.ask(at, { path: { taskId: id }, query: { ...filter, ...page } });
  const all: LogLine[] = [];
  for await (const lines of pagesOf(ask, limits)) {
    // As one value, JSON waits for the last page.
    if (session.options.output === 'json') all.push(...lines);
    else printLines(session, lines);
  }
  if (session.options.output === 'json') session.printJson(all);
  return EXIT.done;
}

/** Prints lines as they come, until the task has ended. */
async function follow(session: Session, call: Call, filter: Filter): Promise<ExitCode> {
  session.limit();
  const client = session.client();
  const id = await taskId(client, call);
  const outage = new Outage(client.options, outageTeller(session));
  let last = '';
  for (let isOver = false; ;) {
    try {
      for await (const messages of client.logs(id, filter, last)) {
        outage.settle();
        printLines(
          session,
          messages.map(({ line }) => line),
        );
        last = messages.at(-1)?.id ?? last;
      }
      // The last lines are asked for once more after the end.
      if (isOver) return EXIT.done;
    } catch (error) {
      await outage.survive(error);
    }
    isOver = await outage.bridge(() => hasEnded(client, id));
    if (!isOver) await rest(PAUSE_MS, client.options.signal);
  }
}

async function hasEnded(client: BackstepClient, id: string): Promise<boolean> {
  return (await client.getTask(id)).timeEnd !== null;
}

/** While lines still come, JSON is one object after the other. */
function printLines(session: Session, lines: readonly LogLine[]): void {
  for (const line of lines) {
    switch (session.options.output) {
      case 'json':
      case 'jsonl':
        session.printJson(line);
        break;
      case 'name':
        session.print(line.message);
        break;
      case 'table':
        for (const text of logLines(line, session.paint)) session.print(text);
        break;
    }
  }
}

/** A line of an attempt: when, which attempt, and its text; above it how many lines were cut. */
function logLines(line: LogLine, paint: Paint): readonly string[] {
  const { at, attempt, direction, dropped, level, message, run } = line;
  const again = attempt > 1 ? ` (attempt ${attempt})` : '';
  const place = `${MARKS[direction] ?? ''}${plainLine(run)}${again}`;
  const colour = COLOURS[level ?? ''];
  const text = plainSpaced(message);
  const shown = colour === undefined ? text : paint[colour](text);
  const told = `${paint.dim(at)}  ${paint.cyan(place)}  ${shown}`.trimEnd();
  if (dropped === undefined) return [told];
  const lines = dropped === 1 ? '1 line was' : `${dropped} lines were`;
  return [paint.dim(`... ${lines} cut here`), told];
}
