import type { TaskEvent } from '../api/shapes.js';

/** The actor of what happens by itself. */
const ENGINE = 'backstep';

/** The requests of people and programs to the task, without the work of executors. */
export function deedsOf(events: readonly TaskEvent[]): readonly TaskEvent[] {
  const started = events.filter(({ kind }) => kind === 'started');
  const others = new Set([ENGINE, ...started.map(({ actor }) => actor)]);
  return events.filter(({ actor }) => !others.has(actor));
}
