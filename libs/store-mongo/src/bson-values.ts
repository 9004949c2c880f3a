import type { JsonObject } from '#core';
import { readStoredJson } from '#core/json';

/** The last moment that a date can hold. */
const DATE_MAX = 8_640_000_000_000_000;

/** A moment as a date, which people read in the shell. */
export function toDate(ms: number): Date {
  return new Date(Math.min(DATE_MAX, Math.max(-DATE_MAX, Math.floor(ms))));
}

/** Milliseconds since 1970 of a stored date; what is no date stays, and is found out later. */
export function toMs(date: Date): number {
  return date instanceof Date ? date.getTime() : date;
}

/** Half a character, which UTF-8 cannot hold, or the sign that marks one here. */
const UNSAFE = /[\p{Surrogate}\ufffd]/gu;
const MARKED = /\ufffd([0-9a-f]{4})/g;

/** Any text as one that survives UTF-8: half characters are written as their number. */
export function toSafe(text: string): string {
  return text.replace(UNSAFE, (unit) => `\ufffd${unit.charCodeAt(0).toString(16)}`);
}

/** The text behind a safe one; what is no text stays, and is found out later. */
export function fromSafe(text: string): string {
  if (typeof text !== 'string') return text;
  return text.replace(MARKED, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** A text that may be absent. */
export function toSafeOrNull(text: string | null): string | null {
  return text === null ? null : toSafe(text);
}

/** A text that may be absent. */
export function fromSafeOrNull(text: string | null): string | null {
  return text === null ? null : fromSafe(text);
}

/**
 * Data of users as opaque text: names with `$`, dots or NUL mean nothing to the server, and every
 * value comes back exactly.
 */
export function toText(value: JsonObject | null): string | null {
  return value === null ? null : JSON.stringify(value);
}

/** The data behind the text; `what` names it. Throws `DocumentFault`. */
export function toJson(text: string | null, what: string): JsonObject | null {
  return text === null ? null : (readStoredJson(text, what) as JsonObject);
}
