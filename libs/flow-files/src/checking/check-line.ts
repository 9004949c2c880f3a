import { FairLine } from '#core';
import { BoundedProcess } from '#expressions';
import { type AbortSignalLike, type Clock, ProcessUnavailable, type Timer } from '#ports';
import {
  CheckerBusy,
  CheckTooCostly,
  OWN_TIME_MS,
  type Question,
  type Saying,
} from './protocol.js';

/** Longest time that a check waits for its turn. */
const WAIT_MAX_MS = 10_000;

/** Most memory of the process. */
const MEMORY_MIB = 256;

/** A text of more characters leaves so much behind that its process ends with it. */
const LARGE_TEXT = 256 * 1024;

/** A process that has nothing to do for so long ends, as its memory would stay. */
const IDLE_MS = 10_000;

/** Most checks that wait: of parameters as many as one batch may ask for. */
const WAITING_MAX = { file: 16, input: 1_000 };

/** How checks are run. */
interface CheckLineOptions {
  readonly clock: Clock;
  /** Code of the process. */
  readonly url: URL;
}

/** On whose account a check is run. */
interface CheckOrder {
  /** Askers take turns. */
  readonly asker: unknown;
  /** Ends the check; absent: nothing does. */
  readonly signal?: AbortSignalLike | undefined;
}

interface Job extends CheckOrder {
  readonly question: Question;
  readonly since: number;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

type CheckProcess = BoundedProcess<Question, Saying>;

/**
 * Runs checks one after the other in a process of their own, each within a second of its processor
 * time: one that takes more ends with its process, and the next one gets a new process. Files and
 * parameters take turns, and so do askers, so that no asker waits for all checks of another one.
 */
export class CheckLine {
  readonly #options: CheckLineOptions;
  readonly #waiting: Readonly<Record<Question['kind'], FairLine<unknown, Job>>> = {
    file: new FairLine(),
    input: new FairLine(),
  };
  #turn: Question['kind'] = 'file';
  #process: CheckProcess | null = null;
  #running: Job | null = null;
  #idle: Timer | null = null;
  /** Ends of processes under way; the next process starts when their memory is free. */
  #ending: Promise<void> | null = null;

  constructor(options: CheckLineOptions) {
    this.#options = options;
  }

  /**
   * The answer of the process. Rejects with `CheckTooCostly`, `CheckerBusy` or
   * `ProcessUnavailable`. Where too many checks wait, the newest one of the asker that has the
   * most of them is refused.
   */
  run(question: Question, order: CheckOrder): Promise<unknown> {
    const { asker, signal } = order;
    if (signal?.aborted === true) return Promise.reject(busy());
    const waiting = this.#waiting[question.kind];
    return new Promise((resolve, reject) => {
      const since = this.#options.clock.monotonic();
      const abandon = (): void => this.#abandon(job);
      const settled = (act: () => void): void => {
        signal?.removeEventListener('abort', abandon);
        act();
      };
      const job: Job = {
        ...order,
        question,
        since,
        resolve: (value) => settled(() => resolve(value)),
        reject: (error) => settled(() => reject(error)),
      };
      signal?.addEventListener('abort', abandon, { once: true });
      waiting.add(asker, job);
      if (waiting.size > WAITING_MAX[question.kind]) waiting.removeFromLongest()?.reject(busy());
      this.#next();
    });
  }

  /** Ends the process; what waits is refused. Safe to call twice. */
  async stop(): Promise<void> {
    const jobs = [...this.#waiting.file.removeAll(), ...this.#waiting.input.removeAll()];
    for (const job of jobs) job.reject(busy());
    this.#replace(busy());
    await this.#ending;
  }

  /** Nobody wants the result any more. One that is being checked ends with its process. */
  #abandon(job: Job): void {
    if (this.#waiting[job.question.kind].remove(job.asker, job)) return job.reject(busy());
    if (this.#running === job) this.#replace(busy());
  }

  #next(): void {
    if (this.#running !== null || this.#ending !== null) return;
    this.#idle?.cancel();
    this.#idle = null;
    this.#running = this.#take();
    if (this.#running === null) return this.#rest();
    try {
      this.#process ??= this.#open();
    } catch (error) {
      this.#giveUp(cannotRun(String(error)));
      return this.#next();
    }
    if (this.#process.isReady) this.#process.ask(this.#running.question);
  }

  /** Nothing is to be done: the process ends in a while, if that lasts. */
  #rest(): void {
    if (this.#process === null) return;
    this.#idle = this.#options.clock.after(IDLE_MS, () => this.#replace(busy()));
  }

  /** Ends the process, and refuses the check in hand; the next check gets a new process. */
  #replace(refusal: Error): void {
    const process = this.#process;
    if (process === null) return;
    this.#giveUp(refusal);
    this.#ending = this.#stop(process);
  }

  async #stop(process: CheckProcess): Promise<void> {
    await process.stop();
    this.#ending = null;
    this.#next();
  }

  /** The next job that did not wait too long. */
  #take(): Job | null {
    for (;;) {
      const { file, input } = this.#waiting;
      const job =
        this.#turn === 'file' ? (file.next() ?? input.next()) : (input.next() ?? file.next());
      if (job === undefined) return null;
      this.#turn = job.question.kind === 'file' ? 'input' : 'file';
      if (this.#options.clock.monotonic() - job.since <= WAIT_MAX_MS) return job;
      job.reject(busy());
    }
  }

  #open(): CheckProcess {
    const { clock, url } = this.#options;
    const process: CheckProcess = new BoundedProcess<Question, Saying>({
      clock,
      url,
      memoryMib: MEMORY_MIB,
      // Schemas are compiled.
      makesCode: true,
      niceness: 0,
      onReady: () => {
        if (this.#running !== null) process.ask(this.#running.question);
      },
      onSaid: (saying) => this.#hear(process, saying),
      onEnd: ({ reason, usedUp }) => {
        if (this.#process !== process) return;
        this.#giveUp(usedUp === null ? cannotRun(reason) : COSTS[usedUp]());
        this.#next();
      },
    });
    return process;
  }

  #hear(process: CheckProcess, saying: Exclude<Saying, { kind: 'ready' }>): void {
    process.rest();
    const job = this.#running;
    this.#running = null;
    if (job === null) return;
    if (saying.kind === 'answer') job.resolve(saying.value);
    else job.reject(new Error(`the check failed: ${saying.message}`));
    if (isLarge(job.question)) this.#replace(busy());
    this.#next();
  }

  /** The process is of no use any more, and neither is the check in hand. */
  #giveUp(refusal: Error): void {
    const job = this.#running;
    this.#process = null;
    this.#running = null;
    job?.reject(refusal);
  }
}

const COSTS = {
  time: () => new CheckTooCostly(`The check took longer than ${OWN_TIME_MS} ms.`),
  memory: () => new CheckTooCostly(`The check took more than ${MEMORY_MIB} MiB.`),
};

function isLarge(question: Question): boolean {
  return question.kind === 'file' && question.text.length > LARGE_TEXT;
}

/** The check is not to blame: its process does not start, or was killed. */
function cannotRun(reason: string): ProcessUnavailable {
  return new ProcessUnavailable(`checks: ${reason}`);
}

function busy(): CheckerBusy {
  return new CheckerBusy('Too many checks wait already.');
}
