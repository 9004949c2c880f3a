import type { EventView } from './api.js';

/** The events read from a stream, until it ended or enough had come. */
export interface ReadStream {
  readonly events: readonly (EventView & { readonly id: string; readonly event: string })[];
  /** Whether the other side ended it. */
  readonly ended: boolean;
}

/** The stream to read, and how much of it. */
export interface StreamPlan {
  readonly url: string;
  readonly taskId: string;
  readonly lastEventId?: string;
  /** Default: until the other side ends the stream. */
  readonly count?: number;
  readonly withinMs?: number;
}

const WITHIN_MS = 60_000;

/** Reads server-sent events of a task as `EventSource` would. */
export async function readStream(plan: StreamPlan): Promise<ReadStream> {
  const { count = Infinity, lastEventId, taskId, url, withinMs = WITHIN_MS } = plan;
  const response = await fetch(`${url}/v1/tasks/${taskId}/events`, {
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal: AbortSignal.timeout(withinMs),
  });
  if (response.status === 204) return { events: [], ended: true };
  const events: ReadStream['events'][number][] = [];
  let text = '';
  for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    const blocks = text.split('\n\n');
    text = blocks.pop() ?? '';
    events.push(...blocks.filter((block) => block.includes('data: ')).map(readBlock));
    if (events.length >= count) return { events, ended: false };
  }
  return { events, ended: true };
}

function readBlock(block: string): ReadStream['events'][number] {
  const fields = Object.fromEntries(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)];
    }),
  ) as Record<'id' | 'event' | 'data', string>;
  return { ...(JSON.parse(fields.data) as EventView), id: fields.id, event: fields.event };
}
