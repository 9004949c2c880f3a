import { textOfThrown } from '#core';

/** Longest text that is made of one error and its causes, in characters. */
const STACK_LENGTH_MAX = 4_000;

/** A longer message is left out: cut in its middle, it could end with half of a secret. */
const MESSAGE_LENGTH_MAX = 1_000;

/** Errors that are told of: the thrown one, its causes, and what an aggregate holds. */
const ERRORS_MAX = 5;

/** Frames of what calls commands: they are the same for every error. */
const CALLERS = /[\\/]node_modules[\\/](?:@nestjs|backstep|rxjs)[\\/]|node:internal\//;

/** A frame in a text of V8. */
const FRAME = /^\s+at /;

/** Members of a thrown value, none of which need be what it seems. */
interface Thrown {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly stack?: unknown;
  readonly cause?: unknown;
  readonly errors?: unknown;
}

/** Options of a stack besides its error. */
interface StackOptions {
  /** The error is an answer that its author chose: of its frames the first is enough. */
  readonly isMeant: boolean;
}

/**
 * The stack trace of an error, then those of its causes, each behind `Caused by:`, in whole lines
 * and at most 4,000 characters. Frames of what calls commands are left out at its end. Undefined
 * where the error tells no place. Never throws.
 */
export function stackOf(error: unknown, { isMeant }: StackOptions): string | undefined {
  try {
    const blocks = withCauses(error).map((each, index) => {
      const frames = framesOf(each);
      const head = `${index === 0 ? '' : 'Caused by: '}${headOf(each)}`;
      return { head, frames: index === 0 && isMeant ? placeIn(frames) : frames };
    });
    if (blocks.every(({ frames }) => frames.length === 0)) return undefined;
    return bounded(blocks.flatMap(({ frames, head }) => [head, ...frames]));
  } catch {
    return undefined;
  }
}

/** The error, its cause, the cause of that, and so on; those that an aggregate holds as well. */
function withCauses(error: unknown): readonly unknown[] {
  const found = new Set<unknown>([error]);
  for (const each of found) {
    if (typeof each !== 'object' || each === null) continue;
    const { cause, errors } = each as Thrown;
    const inner: readonly unknown[] = Array.isArray(errors) ? errors : [];
    for (const one of [cause, ...inner]) {
      if (one !== undefined && one !== null && found.size < ERRORS_MAX) found.add(one);
    }
  }
  return [...found];
}

function framesOf(error: unknown): readonly string[] {
  const { stack } = Object(error) as Thrown;
  if (typeof stack !== 'string') return [];
  const frames = stack.split('\n').filter((line) => FRAME.test(line));
  const last = frames.findLastIndex((frame) => !CALLERS.test(frame));
  // A fault of what calls commands has no other frames.
  return last < 0 ? frames : frames.slice(0, last + 1);
}

/** The frame that threw, unless that is of what calls commands. */
function placeIn([first]: readonly string[]): readonly string[] {
  return first === undefined || CALLERS.test(first) ? [] : [first];
}

function headOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return textOfThrown(error);
  const { message, name: given } = error as Thrown;
  const own = error.constructor?.name;
  const name = typeof given === 'string' && given !== 'Error' ? given : (own ?? 'Error');
  const isTold = typeof message === 'string' && message !== '';
  return isTold && message.length <= MESSAGE_LENGTH_MAX ? `${name}: ${message}` : name;
}

/** As many of the lines as fit. */
function bounded(lines: readonly string[]): string {
  let length = 0;
  const end = lines.findIndex((line) => (length += line.length + 1) > STACK_LENGTH_MAX);
  return (end < 0 ? lines : lines.slice(0, end)).join('\n');
}
