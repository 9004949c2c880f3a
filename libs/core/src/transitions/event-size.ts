import type { Answered, TaskEvent, WorkerOutcome } from '../task/event.js';
import type { StepPlan } from '../flow/flow.js';
import { countSteps } from '../flow/program.js';

/** Most bytes of one text that a task keeps of an event. */
const TEXT_BYTES = 4_000;

/** Most bytes of the texts of all steps together, for each of their two actions. */
const TEXTS_BYTES = 800_000;

/**
 * The same of runs that came to be while a task ran. Of these there may be very many, each with a
 * text from when there were fewer, so that all have more than each share would say.
 */
const GROWN_TEXTS_BYTES = 300_000;

/** Least bytes of a text that is kept, however many runs there are. */
const TEXT_BYTES_MIN = 60;

/** Half of a character, or what stands for one: stores write it with its number. */
const ODD_UNIT_BYTES = 7;

/**
 * Most bytes of one text that a task with this many steps, and this many runs that came to be while
 * it ran, keeps of an event: each action may have one, and each entry of its journal, and a
 * document has an end.
 */
function textMax(steps: number, grown: number): number {
  const own = Math.min(TEXT_BYTES, Math.floor(TEXTS_BYTES / steps));
  if (grown <= 0) return own;
  const share = Math.floor(GROWN_TEXTS_BYTES / (steps + grown));
  return Math.min(own, Math.max(TEXT_BYTES_MIN, share));
}

/**
 * The event with texts that a task with these steps, and those in them, can keep. `grown`: how many
 * places it has, or may come to have, besides those of its steps.
 */
export function boundedEvent(event: TaskEvent, steps: readonly StepPlan[], grown = 0): TaskEvent {
  // Most events are one of these, and neither has a text.
  if (event.kind === 'succeeded' || event.kind === 'claimed') return event;
  if (event.kind === 'worker_reported') {
    const outcome = boundedEvent(event.outcome, steps, grown) as WorkerOutcome;
    return { ...event, outcome };
  }
  const max = textMax(countSteps(steps), grown);
  if ('message' in event && event.message !== undefined) {
    const message = boundedText(event.message, max);
    if (event.kind === 'failed' && event.stack !== undefined) {
      return { ...event, message, stack: boundedText(event.stack, roomBeside(message, max)) };
    }
    return message === event.message ? event : { ...event, message };
  }
  if (event.kind === 'answered') return boundedAnswer(event, max);
  if ('reason' in event) {
    const reason = boundedText(event.reason, max);
    return reason === event.reason ? event : { ...event, reason };
  }
  return event;
}

/** How many bytes a second text of the same journal entry may have. */
function roomBeside(text: string, max: number): number {
  let left = max;
  for (const character of text) left -= bytesOf(character.codePointAt(0) ?? 0);
  return Math.max(TEXT_BYTES_MIN, left);
}

function boundedAnswer(event: Answered, max: number): Answered {
  const { answer } = event;
  if ('values' in answer) return event;
  const reason = boundedText(answer.fault.reason, max);
  return { ...event, answer: { fault: { ...answer.fault, reason } } };
}

/** The text, or as much of it as this many bytes hold; never half of a character. */
function boundedText(text: string, max: number): string {
  if (text.length * ODD_UNIT_BYTES <= max) return text;
  let bytes = 0;
  let fits = 0;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    bytes += bytesOf(point);
    if (bytes > max) return `${text.slice(0, fits)}…`;
    at += point > 0xffff ? 2 : 1;
    // Room for the mark of what was left out.
    if (bytes <= max - 3) fits = at;
  }
  return text;
}

/** Most bytes that a store takes for a character. */
function bytesOf(point: number): number {
  if (point < 0x80) return 1;
  if (point < 0x800) return 2;
  if (point === 0xfffd || (point >= 0xd800 && point <= 0xdfff)) return ODD_UNIT_BYTES;
  return point > 0xffff ? 4 : 3;
}
