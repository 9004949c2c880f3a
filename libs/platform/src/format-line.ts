import pc from 'picocolors';
import { readStoredJson } from '#core';
import { plainLine } from '#wording';

/** A log line's members that have a place of their own on screen. */
interface Members {
  readonly time?: string;
  readonly level?: string;
  readonly event?: string;
  readonly taskId?: string;
  readonly step?: string;
  readonly run?: string;
  readonly direction?: string;
  readonly attempt?: number;
  readonly module?: string;
  readonly msg?: string;
  readonly error?: { readonly message?: string; readonly code?: string };
}

const COLOURS: Readonly<Record<string, (text: string) => string>> = {
  debug: pc.dim,
  info: pc.cyan,
  warn: pc.yellow,
  error: pc.red,
};

/** Makes one line for people of one line of JSON. Nothing in it controls the terminal. */
export function formatLine(json: string): string {
  const line = readStoredJson(json, 'a line') as Members;
  const { error, event = '', level = 'info', module = '', msg = '', taskId } = line;
  const colour = COLOURS[level] ?? ((text: string) => text);
  const parts = [
    pc.dim((line.time ?? '').slice(11, 23)),
    colour(level.padEnd(5)),
    event === '' ? '' : pc.bold(plainLine(event)),
    plainLine(taskId ?? module),
    plainLine(placeOf(line)),
    plainLine(msg),
    error === undefined ? '' : pc.dim(`(${plainLine(error.message || error.code || 'error')})`),
  ];
  return `${parts.filter((part) => part !== '').join(' ')}\n`;
}

function placeOf({ step, run = step, direction, attempt }: Members): string {
  if (step === undefined) return '';
  const half = direction === undefined || direction === 'normal' ? '' : ` ${direction}`;
  return `[${run}${half}${attempt === undefined ? '' : ` #${attempt}`}]`;
}
