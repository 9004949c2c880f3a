import { isObservable, type Observable, type Subscription, takeLast } from 'rxjs';
import type { Outcome } from '#core';
import type { Clock, CommandContext } from '#ports';
import { failureOutcome } from './failure-outcome.js';
import { ABORT_GRACE_MS, interruption } from './interruption.js';
import { outputOutcome, unreadableOutput } from './output-outcome.js';
import { forRollback } from './parameters.pipe.js';
import { listenForWork } from './work-behind.js';

/** Nest's pipeline around one command: guards, interceptors, pipes, the method, filters. */
export type CommandPipeline = (parameters: object, context: CommandContext) => Promise<unknown>;

/** The terms that all calls of a server share. */
export interface CallTerms {
  readonly clock: Clock;
  /** Most bytes of an output as JSON. */
  readonly maxOutputBytes: number;
}

/**
 * Called when an outcome was given although the command still runs. `ended` settles when it ends.
 */
export type LeaveListener = (ended: Promise<void>) => void;

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
    if (!this.#isOver) this.#end(outputOutcome(value, this.terms.maxOutputBytes));
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
