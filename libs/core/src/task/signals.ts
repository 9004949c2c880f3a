import type { Change } from '../change/change.js';
import type { JsonObject } from '../json/json.js';

/** A signal that was sent to a task before anything waited for it. */
export interface EarlySignal {
  readonly name: string;
  readonly payload: JsonObject;
}

/** Signals that a task keeps, at most. */
export const SIGNALS_MAX = 100;
/** Bytes of their payloads, as JSON, at most. */
export const SIGNAL_BYTES_MAX = 65_536;

/** Takes the oldest early signal of this name; null: none has come. */
export function takeSignal(change: Change, name: string): JsonObject | null {
  const at = change.signals.findIndex((signal) => signal.name === name);
  const found = change.signals[at];
  if (found === undefined) return null;
  change.signals = change.signals.toSpliced(at, 1);
  return found.payload;
}
