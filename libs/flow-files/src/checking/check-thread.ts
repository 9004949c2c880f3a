import { Worker } from 'node:worker_threads';
import { FairLine } from '#core';
import type { AbortSignalLike, Clock, Timer } from '#ports';
import { CheckerBusy, CheckTooCostly } from './errors.js';
import type { Question, Saying } from './protocol.js';

/** Longest time that one check may take. */
const DEADLINE_MS = 1_000;

/** Longest time that a check waits for its turn. */
const WAIT_MAX_MS = 10_000;

/** Most memory of the worker. */
const MEMORY_MIB = 256;

/** Of it, what was made of late. */
const YOUNG_MIB = 16;

/** A text of more characters leaves so much behind that its worker ends with it. */
const LARGE_TEXT = 256 * 1024;

/** A worker that has nothing to do for so long ends, as its memory would stay. */
const IDLE_MS = 10_000;

/** Most checks that wait: of parameters as many as one batch may ask for. */
const WAITING_MAX = { file: 16, input: 1_000 };

/** How checks are run. */
interface CheckThreadOptions {
  readonly clock: Clock;
  /** The worker's code. */
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

/**
 * Runs checks one after the other in a worker, each within a second: one that takes longer ends
 * with its worker, and the next one gets a new worker. Files and parameters take turns, and so do
 * askers, so that nobody waits for everything of somebody else.
 */
export class CheckThread {
  readonly #options: CheckThreadOptions;
  readonly #waiting: Readonly<Record<Question['kind'], FairLine<unknown, Job>>> = {
    file: new FairLine(),
    input: new FairLine(),
  };
  #turn: Question['kind'] = 'file';
  #worker: Worker | null = null;
  #isReady = false;
  #running: Job | null = null;
  #deadline: Timer | null = null;
  #idle: Timer | null = null;
  /** A worker is ending; the next one starts when its memory is free. */
  #isEnding = false;

  constructor(options: CheckThreadOptions) {
    this.#options = options;
  }

  /**
   * The worker's answer. Rejects with `CheckTooCostly`, `CheckerBusy`, or why it cannot run. Where
   * too many checks wait, the newest one of the asker that has the most of them is refused.
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

  /** Ends the worker; what waits is refused. Safe to call twice. */
  async stop(): Promise<void> {
    const jobs = [...this.#waiting.file.removeAll(), ...this.#waiting.input.removeAll()];
    for (const job of jobs) job.reject(busy());
    const worker = this.#worker;
    this.#end(busy());
    await worker?.terminate();
  }

  /** Nobody wants the result any more. One that is being checked ends with its worker. */
  #abandon(job: Job): void {
    if (this.#waiting[job.question.kind].remove(job.asker, job)) return job.reject(busy());
    if (this.#running !== job) return;
    if (this.#worker !== null) this.#terminate(this.#worker);
    this.#end(busy());
  }

  #next(): void {
    if (this.#running !== null || this.#isEnding) return;
    this.#idle?.cancel();
    this.#idle = null;
    this.#running = this.#take();
    if (this.#running === null) return this.#rest();
    this.#worker ??= this.#open();
    if (this.#isReady) this.#ask(this.#worker, this.#running);
  }

  /** Nothing is to be done: the worker ends in a while, if that lasts. */
  #rest(): void {
    if (this.#worker === null) return;
    this.#idle = this.#options.clock.after(IDLE_MS, () => this.#replace());
  }

  /** Ends the worker between two checks; the next check gets a new one. */
  #replace(): void {
    if (this.#worker !== null) this.#terminate(this.#worker);
    this.#worker = null;
    this.#isReady = false;
  }

  #terminate(worker: Worker): void {
    this.#isEnding = true;
    const ended = (): void => {
      this.#isEnding = false;
      this.#next();
    };
    worker.terminate().then(ended, ended);
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

  #open(): Worker {
    const worker = new Worker(this.#options.url, {
      name: 'backstep-checks',
      // The worker does not inherit the command-line options of Node.
      execArgv: [],
      resourceLimits: {
        maxOldGenerationSizeMb: MEMORY_MIB,
        maxYoungGenerationSizeMb: YOUNG_MIB,
      },
    });
    // An idle worker must not keep the process.
    worker.unref();
    const mine = (act: () => void) => () => {
      if (this.#worker === worker) act();
    };
    worker.on('message', (saying: Saying) => mine(() => this.#hear(worker, saying))());
    worker.on('error', (error) => mine(() => this.#end(reasonOf(error)))());
    worker.on(
      'exit',
      mine(() => this.#end(new Error('the worker of checks has ended'))),
    );
    return worker;
  }

  /** The time of a check begins here: starting a worker does not count. */
  #ask(worker: Worker, { question }: Job): void {
    this.#deadline = this.#options.clock.after(DEADLINE_MS, () => {
      this.#terminate(worker);
      this.#end(new CheckTooCostly(`The check took longer than ${DEADLINE_MS} ms.`));
    });
    worker.postMessage(question, []);
  }

  #hear(worker: Worker, saying: Saying): void {
    const job = this.#running;
    if (saying.kind === 'ready') {
      this.#isReady = true;
      if (job !== null) this.#ask(worker, job);
      return;
    }
    this.#settle();
    if (job !== null && isLarge(job.question)) this.#replace();
    if (saying.kind === 'answer') job?.resolve(saying.value);
    else job?.reject(new Error(`the check failed: ${saying.message}`));
    this.#next();
  }

  /** Gives the worker up, and with it the check in hand. */
  #end(error: Error): void {
    const job = this.#running;
    this.#worker = null;
    this.#isReady = false;
    this.#settle();
    job?.reject(error);
    this.#next();
  }

  #settle(): void {
    this.#running = null;
    this.#deadline?.cancel();
    this.#deadline = null;
  }
}

function isLarge(question: Question): boolean {
  return question.kind === 'file' && question.text.length > LARGE_TEXT;
}

function reasonOf(error: Error): Error {
  const isMemory = (error as { code?: unknown }).code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? new CheckTooCostly(`The check took more than ${MEMORY_MIB} MiB.`) : error;
}

function busy(): CheckerBusy {
  return new CheckerBusy('Too many checks wait already.');
}
