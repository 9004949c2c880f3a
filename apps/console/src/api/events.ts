import { credentials, failureOf, send } from './client.js';
import { eventReader } from './event-text.js';
import type { TaskEvent } from './shapes.js';

/** A stream to read. */
export interface StreamOrder {
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
  const resume: Record<string, string> = after > 0 ? { 'last-event-id': `${after}` } : {};
  const headers = { accept: 'text/event-stream', ...credentials(), ...resume };
  const path = `/v1/tasks/${encodeURIComponent(taskId)}/events`;
  const response = await send(path, { headers, signal });
  if (!response.ok) throw failureOf(response, await response.json().catch(() => null));
  onOpen();
  if (response.status === 204 || response.body === null) return;
  const feed = eventReader(onEvent);
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) feed(part.value);
}
