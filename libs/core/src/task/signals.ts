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
