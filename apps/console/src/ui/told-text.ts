import { absoluteWords, durationWords, secondsOf } from './durations.js';

const ID = String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`;
const MOMENT = String.raw`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`;
/** A long time, as the journal has it. */
const LENGTH = String.raw`\bin \d{4,} ms\b`;
const PARTS = new RegExp(`(${ID}|${MOMENT}|${LENGTH})`);

/** A part of a text of the server. */
export interface ToldPart {
  /** As people read it. */
  readonly words: string;
  /** The task that it names. */
  readonly taskId?: string;
  /** The moment that it is, in seconds since 1970. */
  readonly at?: number;
}

/** A text of the server in parts: what it says of tasks and of times stands by itself. */
export function toldParts(text: string): readonly ToldPart[] {
  // Split by a pattern with a group: every second part is what it found.
  return text.split(PARTS).map((part, at) => (at % 2 === 1 ? partOf(part) : { words: part }));
}

/** The same where nothing but text can stand. */
export function toldText(text: string): string {
  return toldParts(text)
    .map(({ words }) => words)
    .join('');
}

function partOf(part: string): ToldPart {
  if (part.endsWith(' ms')) return { words: part.replace(/\d+ ms/, lengthWords) };
  if (!part.endsWith('Z')) return { words: part, taskId: part };
  const at = secondsOf(part);
  // A command may say anything, such as the month 00.
  return Number.isNaN(at) ? { words: part } : { words: absoluteWords(at), at };
}

function lengthWords(milliseconds: string): string {
  return durationWords(Number.parseInt(milliseconds, 10) / 1_000);
}
