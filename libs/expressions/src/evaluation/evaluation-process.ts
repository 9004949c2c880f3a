import { type ChildProcess, fork } from 'node:child_process';
import { getPriority, setPriority } from 'node:os';
import type { Answer } from '#core';
import type { Clock, Timer } from '#ports';
import { EvaluatorUnavailable } from '#ports';
import { type Asking, MEMORY_MIB, OVERRUN_SIGNAL, OWN_TIME_MS, type Saying } from './protocol.js';

/** Only a process that hangs needs longer for its start, or to say anything. */
const PATIENCE_MS = 30_000;

/** How V8 ends a process whose memory, or whose stack, is used up. */
const CRASHES: ReadonlySet<unknown> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGSEGV', 134, 5]);

/** The lowest priority that a process can have. */
const NICENESS_MAX = 19;

/** Options of a process of expressions. */
interface EvaluationProcessOptions {
  readonly clock: Clock;
  /** Its code. */
  readonly url: URL;
  /** How far it stands back behind this process, from 0 to 19. */
  readonly niceness: number;
  /** Called once, when it can be asked; not where it has ended before. */
  readonly onReady: () => void;
  /** Called once, when it has ended; `isUsable`: it had been ready. */
  readonly onEnd: (isUsable: boolean, reason: string) => void;
}

/** An answer, and whether the process that gave it ended of what it cost. */
interface CostedAnswer {
  readonly answer: Answer;
  readonly isTooCostly: boolean;
}

interface Job {
  readonly resolve: (answer: CostedAnswer) => void;
  readonly reject: (error: Error) => void;
  /** The member that is worked out, with the place in it. */
  place: string;
}

/**
 * One process that answers one question at a time. A process and not a thread: V8 ends the whole
 * process when one allocation does not fit into a thread's heap, and no thread can be stopped in
 * the middle of a call of the engine. It knows no variable of this process, and makes no code of
 * texts.
 */
export class EvaluationProcess {
  readonly #options: EvaluationProcessOptions;
  readonly #child: ChildProcess;
  #patience: Timer;
  #job: Job | null = null;
  #isReady = false;
  #hasEnded = false;

  constructor(options: EvaluationProcessOptions) {
    this.#options = options;
    this.#child = fork(options.url, {
      env: { TZ: 'UTC' },
      execArgv: [
        `--max-old-space-size=${MEMORY_MIB}`,
        '--max-semi-space-size=8',
        '--disallow-code-generation-from-strings',
      ],
      // The other way is JSON, as Node reads it: see `parseJson`.
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    standBack(this.#child, options.niceness);
    this.#patience = this.#waitAtMost();
    this.#child.on('message', (saying: Saying) => this.#hear(saying));
    this.#child.on('error', (error) => this.#end(error.message, null));
    this.#child.on('exit', (code, signal) =>
      this.#end(`it ended with ${signal ?? code}`, signal ?? code),
    );
  }

  /** Whether it can be asked now. */
  get isIdle(): boolean {
    return this.#isReady && this.#job === null && !this.#hasEnded;
  }

  /** Whether it is asked something. */
  get isBusy(): boolean {
    return this.#job !== null;
  }

  /** Asks it. Rejects with `EvaluatorUnavailable`, never for a fault of an expression. */
  answer(asking: Asking): Promise<CostedAnswer> {
    return new Promise((resolve, reject) => {
      this.#job = { resolve, reject, place: asking.question.members[0]?.name ?? '' };
      this.#patience = this.#waitAtMost();
      this.#keepAlive(true);
      this.#child.send(asking, (error) => {
        if (error !== null) this.#end(error.message, null);
      });
    });
  }

  /** Ends it; a question in hand is refused. Resolves once it is gone. */
  async stop(): Promise<void> {
    const gone = this.#child.exitCode === null && this.#child.signalCode === null;
    const exit = new Promise<void>((resolve) => this.#child.once('exit', () => resolve()));
    this.#end('it was stopped', null);
    if (!gone || this.#child.pid === undefined) return;
    // A process that waits for nothing else must not end before it has been said that this one has.
    this.#keepAlive(true);
    await exit;
  }

  #hear(saying: Saying): void {
    // Its last words may be under way when it is ended; they must not keep `stop` from its end.
    if (this.#hasEnded) return;
    if (saying.kind === 'ready') {
      this.#isReady = true;
      this.#patience.cancel();
      this.#keepAlive(false);
      this.#options.onReady();
      return;
    }
    const job = this.#job;
    if (job === null) return;
    if (saying.kind === 'at') {
      job.place = saying.place;
      return;
    }
    this.#settle();
    if (saying.kind === 'answer') job.resolve({ answer: saying.answer, isTooCostly: false });
    else job.reject(new EvaluatorUnavailable(`the evaluation broke: ${saying.message}`));
  }

  #end(reason: string, how: NodeJS.Signals | number | null): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const job = this.#job;
    this.#settle();
    this.#child.kill('SIGKILL');
    this.#options.onEnd(this.#isReady, reason);
    const fault = costReason(how);
    if (job === null) return;
    if (fault === null) return job.reject(new EvaluatorUnavailable(`expressions: ${reason}`));
    const answer = { fault: { member: job.place, position: null, reason: fault } };
    job.resolve({ answer, isTooCostly: true });
  }

  #settle(): void {
    this.#job = null;
    this.#patience.cancel();
    this.#keepAlive(false);
  }

  #waitAtMost(): Timer {
    return this.#options.clock.after(PATIENCE_MS, () => this.#end('it does not answer', null));
  }

  /** An idle process must not keep this one; another must, as somebody waits for its answer. */
  #keepAlive(isAsked: boolean): void {
    if (isAsked) {
      this.#child.ref();
      this.#child.channel?.ref();
    } else {
      this.#child.unref();
      this.#child.channel?.unref();
    }
  }
}

/** Where the system does not allow it, or the process has ended, nothing is lost but the order. */
function standBack({ pid }: ChildProcess, niceness: number): void {
  if (niceness === 0 || pid === undefined) return;
  try {
    setPriority(pid, Math.min(NICENESS_MAX, getPriority() + niceness));
  } catch {
    // It runs as all others do.
  }
}

/** Why an expression ended its process; null: it did not, something else has. */
function costReason(how: NodeJS.Signals | number | null): string | null {
  if (how === OVERRUN_SIGNAL) return `it takes longer than ${OWN_TIME_MS} ms`;
  return CRASHES.has(how) ? `it takes more than ${MEMORY_MIB} MiB of memory` : null;
}
