import pino from 'pino';
import { formatLine } from './format-line.js';

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
