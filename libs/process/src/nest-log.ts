import type { LoggerService } from '@nestjs/common';
import { inspect } from 'node:util';
import { attemptNow } from '#executor';
import type { Logger } from '#platform';
import type { LineLevel } from '#ports';

/** The parts of Nest that tell each module and route they make. */
const NEST_ITSELF: ReadonlySet<string> = new Set([
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'NestMicroservice',
  'RouterExplorer',
  'RoutesResolver',
]);

/** Nest tells of an error here that it throws as well. */
const NEST_ERRORS = 'ExceptionHandler';

/** The last text of a call of Nest's `Logger` that looks so is the stack trace of an error. */
const STACK = /^(?:.*\n)?\s+at /;

/** One call of Nest's `Logger`. */
interface Call {
  readonly messages: readonly unknown[];
  /** Its name, which Nest calls its context. */
  readonly logger: string | undefined;
  readonly stack: string | undefined;
}

/**
 * Nest's own `Logger`, as authors of executors use it, on the process's log. A line that is written
 * while a command runs, by whatever it calls, is about its attempt.
 */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(...args: readonly unknown[]): void {
    this.#write('info', args);
  }

  warn(...args: readonly unknown[]): void {
    this.#write('warn', args);
  }

  error(...args: readonly unknown[]): void {
    this.#write('error', args);
  }

  fatal(...args: readonly unknown[]): void {
    this.#write('error', args);
  }

  debug(...args: readonly unknown[]): void {
    this.#write('debug', args);
  }

  verbose(...args: readonly unknown[]): void {
    this.#write('debug', args);
  }

  #write(level: LineLevel, args: readonly unknown[]): void {
    if (!this.logger.isLevelEnabled(level)) return;
    const { logger, messages, stack } = callOf(args);
    if (isOfNest(level, logger)) return;
    const attempt = attemptNow();
    for (const message of messages) {
      const about = { logger, stack: stack ?? stackIn(message) };
      const text = textOf(message);
      if (attempt === undefined) this.logger[level](about, text);
      else attempt.log(text, { level, ...about });
    }
  }
}

function isOfNest(level: LineLevel, logger = ''): boolean {
  if (logger === NEST_ERRORS) return true;
  return NEST_ITSELF.has(logger) && level !== 'warn' && level !== 'error';
}

/** Nest puts the name of a logger last, and the stack trace of an error before it. */
function callOf(args: readonly unknown[]): Call {
  const messages = [...args];
  const logger = messages.length > 1 ? textAt(messages, (text) => !STACK.test(text)) : undefined;
  const stack = messages.length > 1 ? textAt(messages, (text) => STACK.test(text)) : undefined;
  // A logger with a name says `undefined` for a stack that it was not given.
  if (messages.length > 1 && messages.at(-1) === undefined) messages.pop();
  return { messages, logger, stack };
}

/** Takes the last one off, if it is such a text. */
function textAt(messages: unknown[], fits: (text: string) => boolean): string | undefined {
  const last = messages.at(-1);
  if (typeof last !== 'string' || !fits(last)) return undefined;
  messages.pop();
  return last;
}

function textOf(message: unknown): string {
  if (typeof message === 'string') return message;
  return message instanceof Error ? message.message : inspect(message, { breakLength: Infinity });
}

function stackIn(message: unknown): string | undefined {
  return message instanceof Error ? message.stack : undefined;
}
