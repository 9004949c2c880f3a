import { open } from './exchange.js';
import type { AttemptProgress, LogLine } from './output-shapes.js';
import type { Summary, TaskEvent, Unreadable } from './shapes.js';

/** A stream to read. */
interface StreamOrder {
  readonly taskId: string;
  /** The last event that is there already; 0: none. */
  readonly after: number;
  readonly onOpen: () => void;
  readonly onEvent: (event: TaskEvent) => void;
  readonly signal: AbortSignal;
}

/**
 * Reads a task's events until the server ends the stream, which it does after the task has ended.
 * By `fetch`: an `EventSource` cannot say who asks.
 */
export async function readEvents(order: StreamOrder): Promise<void> {
  const { after, onEvent, onOpen, signal, taskId } = order;
  const headers: Record<string, string> = after > 0 ? { 'last-event-id': `${after}` } : {};
  const asked = { path: { taskId }, headers, signal };
  const response = await open('GET /v1/tasks/{taskId}/events', asked);
  onOpen();
  if (response.status !== 204) await readAll(response, (data) => onEvent(data as TaskEvent));
}

/** A stream of the changes of all tasks. */
interface ChangesOrder {
  /** Those of the child tasks of this task alone. */
  readonly parent?: string;
  readonly onOpen: () => void;
  readonly onChange: (item: Summary | Unreadable) => void;
  readonly signal: AbortSignal;
}

/** Reads which tasks change from now on, until the server or the signal ends it. */
export async function readChanges(order: ChangesOrder): Promise<void> {
  const { onChange, onOpen, parent, signal } = order;
  const response = await open('GET /v1/events', { query: { parent }, signal });
  onOpen();
  await readAll(response, (data) => onChange(data as Summary | Unreadable));
}

/** A stream of what attempts write. */
interface OutputOrder {
  readonly taskId: string;
  /** Id of a run; null: of all. */
  readonly run: string | null;
  readonly onSaid: (said: AttemptProgress | LogLine) => void;
  readonly signal: AbortSignal;
}

/** Reads all lines of a task or a run from the first one on, until the task has ended. */
export async function readOutput({ onSaid, run, signal, taskId }: OutputOrder): Promise<void> {
  const asked = { path: { taskId }, query: run === null ? {} : { run }, signal };
  const response = await open('GET /v1/tasks/{taskId}/logs', asked);
  await readAll(response, (data) => onSaid(data as AttemptProgress | LogLine));
}

/** The server gives a sign of life every 15 seconds; without any for so long, nothing is heard. */
const SILENCE_MS = 45_000;

/** Reads a stream to its end; throws where it breaks off, or has been silent for too long. */
export async function readAll(
  { body }: Pick<Response, 'body'>,
  onData: (data: unknown) => void,
): Promise<void> {
  if (body === null) return;
  const feed = eventReader(onData);
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  const next = async (): ReturnType<typeof reader.read> => {
    let isSilent = false;
    // A network that is lost without a word leaves the connection open.
    const timer = setTimeout(() => {
      isSilent = true;
      reader.cancel().catch(() => {});
    }, SILENCE_MS);
    const part = await reader.read().finally(() => clearTimeout(timer));
    if (isSilent) throw new Error('silence');
    return part;
  };
  for (let part = await next(); !part.done; part = await next()) feed(part.value);
}

/** Takes the text of an event stream as it comes, and gives the data of each whole event. */
export function eventReader(onData: (data: unknown) => void): (text: string) => void {
  let rest = '';
  return (text) => {
    const blocks = (rest + text).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) {
      const data = block
        .split('\n')
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.slice('data:'.length).trimStart())
        .join('\n');
      if (data !== '') onData(JSON.parse(data));
    }
  };
}
