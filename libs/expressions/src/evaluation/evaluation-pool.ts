import { type Answer, FairLine, type Question } from '#core';
import { type Clock, EvaluatorUnavailable, type Timer } from '#ports';
import { EvaluationProcess } from './evaluation-process.js';

/** Processes that have nothing to do for so long end, as their memory would stay. */
const IDLE_MS = 60_000;

/** Most questions that wait. */
const WAITING_MAX = 10_000;

/** One question on its way to an answer. */
export interface EvaluationJob<Asker> {
  /** Askers take turns. */
  readonly asker: Asker;
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/** How the questions of a pool are answered. */
interface EvaluationPoolOptions<Asker> {
  readonly clock: Clock;
  /** `$env`. */
  readonly env: Readonly<Record<string, string>>;
  /** Code of the processes. */
  readonly url: URL;
  /** Most processes, and most of them that work at a time. */
  readonly processes: number;
  readonly atOnce: number;
  /** Whether one process more than the busy ones is kept ready. */
  readonly hasSpare: boolean;
  /** How far its processes stand back behind others, from 0 to 19. */
  readonly niceness: number;
  /** Called when a question of an asker took more than it may. */
  readonly onTooCostly?: (asker: Asker) => void;
}

/** Processes that answer questions, turn by turn over their askers. */
export class EvaluationPool<Asker> {
  readonly #options: EvaluationPoolOptions<Asker>;
  readonly #processes = new Set<EvaluationProcess>();
  readonly #waiting = new FairLine<Asker, EvaluationJob<Asker>>();
  /** Askers of the questions that are being answered. */
  readonly #asking = new Map<EvaluationProcess, Asker>();
  #idle: Timer | null = null;
  #isClosed = false;

  constructor(options: EvaluationPoolOptions<Asker>) {
    this.#options = options;
  }

  /**
   * Answers a question. Where too many wait, the newest one of the asker that has the most of them
   * is refused.
   */
  add(job: EvaluationJob<Asker>): void {
    if (this.#isClosed) return job.reject(unavailable('closed'));
    this.#waiting.add(job.asker, job);
    if (this.#waiting.size > WAITING_MAX) {
      this.#waiting.removeFromLongest()?.reject(unavailable('too many wait'));
    }
    this.#open();
    this.#next();
  }

  /** Takes out what an asker waits for. */
  removeAllOf(asker: Asker): readonly EvaluationJob<Asker>[] {
    return this.#waiting.removeAllOf(asker);
  }

  /** Refuses what an asker waits for, and ends the processes that work for it. */
  abandon(asker: Asker): void {
    for (const { reject } of this.removeAllOf(asker)) reject(unavailable('nobody waits any more'));
    for (const [process, owner] of this.#asking) if (owner === asker) void process.stop();
  }

  /** Ends the processes; what waits is refused. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuse('closed');
    await this.#endAll();
  }

  /** Starts what is missing: one for each question, and a spare one. */
  #open(): void {
    const { hasSpare, processes } = this.#options;
    const busy = [...this.#processes].filter((process) => process.isBusy).length;
    const asked = busy + Math.min(1, this.#waiting.size);
    const wanted = Math.min(processes, asked + (hasSpare ? 1 : 0));
    try {
      while (this.#processes.size < wanted) this.#processes.add(this.#start());
    } catch (error) {
      if (this.#processes.size === 0) this.#refuse(String(error));
    }
  }

  #start(): EvaluationProcess {
    const { clock, niceness, url } = this.#options;
    const started: EvaluationProcess = new EvaluationProcess({
      clock,
      url,
      niceness,
      onReady: () => this.#next(),
      onEnd: (isUsable, reason) => this.#replace(started, isUsable, reason),
    });
    return started;
  }

  /** One that could be asked is replaced at once; one that never could is not tried for ever. */
  #replace(ended: EvaluationProcess, isUsable: boolean, reason: string): void {
    if (!this.#processes.delete(ended) || this.#isClosed) return;
    if (isUsable) this.#open();
    else if (this.#processes.size === 0) this.#refuse(reason);
  }

  #next(): void {
    for (const process of this.#processes) {
      if (!process.isIdle || this.#asking.size >= this.#options.atOnce) continue;
      const job = this.#waiting.next((asker) => this.#mayHaveTurn(asker));
      if (job === undefined) break;
      void this.#ask(process, job);
      this.#open();
    }
    this.#rest();
  }

  /** An asker for whom a process works already leaves one that is ready to the next asker. */
  #mayHaveTurn(asker: Asker): boolean {
    const isFirst = ![...this.#asking.values()].includes(asker);
    return isFirst || [...this.#processes].filter(({ isIdle }) => isIdle).length > 1;
  }

  async #ask(process: EvaluationProcess, job: EvaluationJob<Asker>): Promise<void> {
    const { asker, question, reject, resolve } = job;
    this.#asking.set(process, asker);
    try {
      const { answer, isTooCostly } = await process.answer({ question, env: this.#options.env });
      if (isTooCostly) this.#options.onTooCostly?.(asker);
      resolve(answer);
    } catch (error) {
      reject(error as Error);
    }
    this.#asking.delete(process);
    this.#next();
  }

  /** Where nothing is asked for a while, the processes end. */
  #rest(): void {
    this.#idle?.cancel();
    this.#idle = this.#options.clock.after(IDLE_MS, () => {
      const isBusy = [...this.#processes].some((process) => process.isBusy);
      if (!isBusy && this.#waiting.size === 0) void this.#endAll();
    });
  }

  async #endAll(): Promise<void> {
    this.#idle?.cancel();
    const ending = [...this.#processes];
    this.#processes.clear();
    await Promise.all(ending.map((process) => process.stop()));
  }

  #refuse(reason: string): void {
    for (const { reject } of this.#waiting.removeAll()) reject(unavailable(reason));
  }
}

function unavailable(reason: string): EvaluatorUnavailable {
  return new EvaluatorUnavailable(`expressions: ${reason}`);
}
