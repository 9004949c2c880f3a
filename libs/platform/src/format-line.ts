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
  readonly error?: { readonly message?: string; readonly code?: string; readonly stack?: string };
  /** The name that an author gave to a logger. */
  readonly logger?: string;
  readonly stack?: string;
  readonly details?: object;
}

const COLOURS: Readonly<Record<string, (text: string) => string>> = {
  debug: pc.dim,
  info: pc.cyan,
  warn: pc.yellow,
  error: pc.red,
};

/**
 * Makes one line for people of one line of JSON, and below it a line for each of a stack trace.
 * Nothing in them controls the terminal.
 */
export function formatLine(json: string): string {
  const line = readStoredJson(json, 'a line') as Members;
  const { details, error, level = 'info', module = '', msg = '', taskId } = line;
  const event = line.logger ?? line.event ?? '';
  const colour = COLOURS[level] ?? ((text: string) => text);
  const parts = [
    pc.dim((line.time ?? '').slice(11, 23)),
    colour(level.padEnd(5)),
    event === '' ? '' : pc.bold(plainLine(event)),
    plainLine(taskId ?? module),
    plainLine(placeOf(line)),
    plainLine(msg),
    details === undefined ? '' : pc.dim(plainLine(JSON.stringify(details))),
    error === undefined ? '' : pc.dim(`(${plainLine(error.message || error.code || 'error')})`),
  ];
  const below = stackOf(line).map((each) => pc.dim(`${INDENT}${plainFrame(each)}`));
  return `${[parts.filter((part) => part !== '').join(' '), ...below].join('\n')}\n`;
}

/** Below the words of a line. */
const INDENT = ' '.repeat(13);

/** Of an error alone: what is only away would tell the same frames again and again. */
function stackOf({ error, level, stack }: Members): readonly string[] {
  const text = stack ?? (level === 'error' ? error?.stack : undefined);
  return typeof text === 'string' ? text.split('\n') : [];
}

function plainFrame(line: string): string {
  return `${/^\s/.test(line) ? '  ' : ''}${plainLine(line)}`;
}

function placeOf({ step, run = step, direction, attempt }: Members): string {
  if (step === undefined) return '';
  const half = direction === undefined || direction === 'normal' ? '' : ` ${direction}`;
  return `[${run}${half}${attempt === undefined ? '' : ` #${attempt}`}]`;
}
