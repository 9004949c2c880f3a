import type { JSX } from 'preact';
import { absoluteWords, durationWords, secondsOf } from './durations.js';
import { Moment } from './moment.js';

const ID = String.raw`\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b`;
const MOMENT = String.raw`\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z`;
/** A long time, as the journal has it. */
const LENGTH = String.raw`\bin \d{4,} ms\b`;
const PARTS = new RegExp(`(${ID}|${MOMENT}|${LENGTH})`);
const PARTS_ALL = new RegExp(PARTS, 'g');

/** A text of the server, as people read it: ids lead to their tasks, times are the reader's. */
export function LinkedText({ text }: { readonly text: string }): JSX.Element {
  // Split by a pattern with a group: every second part is what it found.
  return (
    <bdi>{text.split(PARTS).map((part, at) => (at % 2 === 1 ? <Found part={part} /> : part))}</bdi>
  );
}

/** The same where nothing but text can stand. */
export function toldText(text: string): string {
  return text.replaceAll(PARTS_ALL, (part) => {
    if (part.startsWith('in ')) return lengthWords(part);
    return part.endsWith('Z') ? absoluteWords(secondsOf(part)) : part;
  });
}

function Found({ part }: { readonly part: string }): JSX.Element {
  if (part.startsWith('in ')) return <>{lengthWords(part)}</>;
  if (part.endsWith('Z')) return <Moment at={secondsOf(part)} isWhole />;
  return <a href={`/console/tasks/${part}`}>{part}</a>;
}

function lengthWords(part: string): string {
  return part.replace(/\d+ ms/, (found) => durationWords(Number.parseInt(found, 10) / 1_000));
}
