import {
  isObservable,
  map,
  merge,
  Observable,
  of,
  type Subscription,
  switchMap,
  take,
  takeLast,
} from 'rxjs';
import { type JsonObject, type Outcome, textOfThrown } from '#core';
import { OutputReader, TooLarge } from '#json';
import type { AbortSignalLike, Clock, CommandContext } from '#ports';
import type { CompleteLater, LookAgain } from './complete-later.js';
import {
  failedForGood,
  failureOutcome,
  invalidOutput,
  messageOf,
  withStack,
} from './failure-outcome.js';
import type { OutputCheck } from './output-check.js';
import { forRollback } from './parameters.pipe.js';
import { kindOf } from './shapes.js';
import { listenForWork } from './work-behind.js';

/** How long an aborted command gets to answer by itself, in milliseconds. */
export const ABORT_GRACE_MS = 500;

/** The limit on a command's time, and the patience with an aborted one. */
interface InterruptionTerms {
  readonly clock: Clock;
  /** Asked when the signal is aborted; 0: the command is not waited for. */
  readonly graceMs: () => number;
}

/** Stands in for one attempt of a command. `command` runs the real one, at most once. */
export type CommandFault = (command: () => Promise<Outcome>) => Promise<Outcome>;

/** Finds the fault to inject into an attempt; undefined: none, and the command runs as usual. */
export type FaultFinder = (context: CommandContext) => CommandFault | undefined;

/** Nest's pipeline around one command: guards, interceptors, pipes, the method, filters. */
export type CommandPipeline = (parameters: object, context: CommandContext) => Promise<unknown>;

/** The terms that all calls of a server share. */
export interface CallTerms {
  readonly clock: Clock;
  /** Most bytes of an output as JSON. */
  readonly maxOutputBytes: number;
  /** Checks outputs of normal actions; absent: any is taken. */
  readonly output?: OutputCheck;
}

/**
 * Called when an outcome was given although the command still runs. `ended` settles when it ends.
 */
export type LeaveListener = (ended: Promise<void>) => void;

const NOTHING: Outcome = Object.freeze({ kind: 'succeeded', output: null });

/**
 * One attempt of one command, from its start to its outcome. The outcome is there when the command
 * answers or when its time is over, whichever comes first; between the two, anything can pass.
 *
 * Everything here is called by promises, streams and timers, where nobody would catch an error: it
 * would end the process, and with it all commands of others. So whatever touches what an author's
 * code has made is inside a `try`, or in a function that never throws.
 */
export class CommandCall {
  #isOver = false;
  /** The author's promise; undefined while only a stream is known. */
  #work: Promise<unknown> | undefined;
  #stream: Subscription | undefined;
  #watch: Subscription | undefined;

  constructor(
    private readonly context: CommandContext,
    private readonly terms: CallTerms,
    private readonly resolve: (outcome: Outcome) => void,
    private readonly onLeft?: LeaveListener,
  ) {}

  start(pipeline: CommandPipeline): void {
    const { direction, parameters } = this.context;
    const given = direction === 'rollback' ? forRollback(parameters) : parameters;
    this.#work = pipeline(given, this.context);
    this.#work.then(
      (value) => this.#answered(value),
      (error: unknown) => this.#end(failureOutcome(error)),
    );
  }

  /** Binds the call to its time, unless it is over: most end within the turn they began in. */
  watch(): void {
    if (this.#isOver) return;
    const { clock } = this.terms;
    const graceMs = (): number => (this.#work === undefined ? 0 : ABORT_GRACE_MS);
    this.#watch = interruption(this.context, { clock, graceMs }).subscribe((outcome) =>
      this.#leave(outcome),
    );
    // An interruption that is due at once has come before there was a subscription to end.
    if (this.#isOver) this.#watch.unsubscribe();
  }

  #answered(value: unknown): void {
    if (this.#isOver) return;
    try {
      if (isObservable(value)) this.#follow(value);
      else this.#succeed(value);
    } catch (error) {
      this.#end(unreadableOutput(error));
    }
  }

  /** A command's stream, or what interceptors make of its promise. The last value counts. */
  #follow(values: Observable<unknown>): void {
    this.#work = undefined;
    listenForWork(this.context, (work) => {
      this.#work = work;
    });
    let answer: unknown;
    this.#stream = values.pipe(takeLast(1)).subscribe({
      next: (value) => {
        answer = value;
      },
      error: (error: unknown) => this.#end(failureOutcome(error)),
      complete: () => this.#succeed(answer),
    });
  }

  #succeed(value: unknown): void {
    if (this.#isOver) return;
    const outcome = outputOutcome(value, this.terms.maxOutputBytes);
    const { output } = this.terms;
    // Nothing reads the output of a rollback: it is no reason to call a person.
    const isFree = output === undefined || this.context.direction === 'rollback';
    if (isFree || outcome.kind !== 'succeeded') this.#end(outcome);
    else void output.judge(outcome).then((judged) => this.#end(judged));
  }

  /** Leaving a stream ends it. A promise goes on, and its watcher may want to know for how long. */
  #leave(outcome: Outcome): void {
    this.#end(outcome);
    unsubscribe(this.#stream);
    if (this.#work !== undefined) this.onLeft?.(endOf(this.#work));
  }

  #end(outcome: Outcome): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#watch?.unsubscribe();
    this.resolve(outcome);
  }
}

/** Ends a stream. Its teardown is the author's code and may throw; nobody waits for it any more. */
function unsubscribe(stream: Subscription | undefined): void {
  try {
    stream?.unsubscribe();
  } catch {
    // The outcome is given.
  }
}

/** Resolves when the work is over, however it ends. Never rejects. */
async function endOf(work: Promise<unknown>): Promise<void> {
  try {
    await work;
  } catch {
    // Its outcome does not count any more.
  }
}

/** The outcome of an attempt whose time is over, as its executor would tell it. */
export function timeIsOver(
  { attemptDeadline, deadline }: Pick<CommandContext, 'attemptDeadline' | 'deadline'>,
  message: string,
): Outcome {
  if (attemptDeadline >= deadline) return { kind: 'timed_out', message };
  return { kind: 'failed', terminal: false, failure: 'TIMED_OUT', message };
}

/** Emits once: the outcome of a command that has not answered when it had to. */
function interruption(
  context: CommandContext,
  { clock, graceMs }: InterruptionTerms,
): Observable<Outcome> {
  const { signal } = context;
  const unheeded = aborted(signal).pipe(
    switchMap(() => after(graceMs(), clock)),
    map((): Outcome => ({ kind: 'handed_back', message: messageOf(signal.reason) })),
  );
  return merge(timeOver(context, clock), unheeded).pipe(take(1));
}

function timeOver(context: CommandContext, clock: Clock): Observable<Outcome> {
  const ms = Math.ceil(context.timeLeft());
  const isTheLast = context.attemptDeadline >= context.deadline;
  return after(ms, clock).pipe(
    map((): Outcome => {
      if (!isTheLast) {
        const message = `no result within ${spanText(ms)}`;
        return { kind: 'failed', terminal: false, failure: 'TIMED_OUT', message };
      }
      const message =
        context.attempt === 1
          ? `no result: its ${spanText(ms)} are over`
          : `no result: the time for all attempts is over, ${spanText(ms)} into this one`;
      return { kind: 'timed_out', message };
    }),
  );
}

/** To a tenth of a second: the first milliseconds of a timeout pass before the command begins. */
function spanText(ms: number): string {
  return ms < 1_000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`;
}

function aborted(signal: AbortSignalLike): Observable<void> {
  return new Observable((subscriber) => {
    const tell = (): void => subscriber.next();
    if (signal.aborted) return tell();
    signal.addEventListener('abort', tell, { once: true });
    return () => signal.removeEventListener('abort', tell);
  });
}

/** Like rxjs' `timer`, on our clock. */
function after(ms: number, clock: Clock): Observable<void> {
  if (ms <= 0) return of(undefined);
  return new Observable((subscriber) => {
    const timer = clock.after(ms, () => subscriber.next());
    return () => timer.cancel();
  });
}

/**
 * The outcome of an attempt whose command returned this value. `maxBytes` bounds the value as JSON.
 * The outcome holds a copy of the value as JSON renders it: every step gets the same output,
 * whether or not the task was loaded again in between, and whatever the command does with the value
 * later. Never throws.
 */
export function outputOutcome(value: unknown, maxBytes: number): Outcome {
  if (value === undefined || value === null) return NOTHING;
  try {
    const kind = kindOf(value);
    if (kind === 'look_again') return lookOutcome(value as LookAgain);
    if (kind === 'complete_later') return laterOutcome(value as CompleteLater);
    return readOutcome(value, maxBytes);
  } catch (error) {
    return error instanceof TooLarge ? tooLarge(maxBytes) : unreadableOutput(error);
  }
}

/** A value that throws when it is read is a failure for good: it would do so again. */
function unreadableOutput(error: unknown): Outcome {
  const message = `the output cannot be read: ${messageOf(textOfThrown(error))}`;
  return withStack(invalidOutput(message), error);
}

function lookOutcome({ afterMs }: LookAgain): Outcome {
  if (!(afterMs >= 0 && afterMs < Infinity))
    throw new TypeError('lookAgain needs a delay of 0 ms or more');
  return { kind: 'not_finished', afterMs };
}

function laterOutcome({ timeoutMs }: CompleteLater): Outcome {
  const isTime = timeoutMs === null || (timeoutMs >= 0 && timeoutMs < Infinity);
  if (!isTime) throw new TypeError('completeLater needs a timeout of 0 ms or more');
  return { kind: 'completes_later', timeoutMs };
}

function readOutcome(value: unknown, maxBytes: number): Outcome {
  const output = new OutputReader(maxBytes).read(value);
  const isObject = typeof output === 'object' && output !== null && !Array.isArray(output);
  return isObject
    ? { kind: 'succeeded', output: output as JsonObject }
    : invalidOutput(`the output must be a JSON object, and it is ${kindOfValue(value)}`);
}

/** A returned value in a word or two, without anything of what it holds. */
function kindOfValue(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (typeof value !== 'object' || value === null) return `a ${typeof value}`;
  const { name } =
    (value as { readonly constructor?: { readonly name?: unknown } }).constructor ?? {};
  return typeof name === 'string' && name !== 'Object' ? `a ${name}` : 'no object as JSON';
}

function tooLarge(maxBytes: number): Outcome {
  const message = `the output has more than ${maxBytes} bytes`;
  return failedForGood('OUTPUT_TOO_LARGE', message);
}
