import pino from 'pino';
import pc from 'picocolors';
import { readStoredJson } from '#core/json';
import { plainLine } from '#wording';
import type { CommandContext, CommandLine, CommandLog, LineLevel } from '#ports';

const LEVELS: ReadonlySet<string> = new Set<LineLevel>(['debug', 'info', 'warn', 'error']);

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

/** Below the words of a line. */
const INDENT = ' '.repeat(13);

/** The process's log. */
export type Logger = pino.Logger;

/** Where log lines go. */
interface LogStream {
  write(line: string): unknown;
  readonly isTTY?: boolean;
}

/** How to log. */
interface LoggerOptions {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent';
  /** Standard error where absent: standard output is for data. */
  readonly stream?: LogStream;
}

/** A log of one JSON object per line, or of one readable line each where a person is looking. */
export function createLogger({ level, stream }: LoggerOptions): Logger {
  const options: pino.LoggerOptions = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { error: pino.stdSerializers.err },
  };
  const isPerson = (stream ?? process.stderr).isTTY === true;
  if (isPerson) return pino(options, readable(stream ?? process.stderr));
  return pino(options, stream ?? pino.destination({ fd: 2, sync: true }));
}

function readable(stream: LogStream): LogStream {
  return { write: (line) => stream.write(formatLine(line)) };
}

/**
 * Makes one line for people of one line of JSON, and below it a line for each of a stack trace.
 * Nothing in them controls the terminal.
 */
function formatLine(json: string): string {
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

/** Writes the lines of commands to the process's log, each with the attempt that it is about. */
export class CommandLines implements CommandLog {
  constructor(private readonly logger: Logger) {}

  takes(level: LineLevel): boolean {
    return LEVELS.has(level) && this.logger.isLevelEnabled(level);
  }

  write(attempt: Omit<CommandContext, 'parameters'>, line: CommandLine): void {
    const { command, direction, flow, module, run, step, taskId } = attempt;
    const place = { taskId, step, run, attempt: attempt.attempt, direction };
    const trace_id = attempt.traceparent?.slice(3, 35);
    const { logger, stack, ...others } = line.details;
    const known = { ...textAs('logger', logger), ...textAs('stack', stack) };
    // Under a name of their own, they cannot pass for what Backstep says itself.
    const details = Object.keys(others).length === 0 ? undefined : others;
    const about = { event: 'command_log', ...place, flow, module, command, trace_id };
    this.logger[line.level]({ ...about, ...known, details }, line.message);
  }
}

function textAs(name: 'logger' | 'stack', value: unknown): object {
  return typeof value === 'string' ? { [name]: value } : {};
}
