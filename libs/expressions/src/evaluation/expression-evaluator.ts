import type { Answer, Question } from '#core';
import type { Clock, Evaluator, Timer } from '#ports';
import { answerQuestion, needsEvaluation } from './answer-question.js';
import { EvaluatorUnavailable } from '#ports';
import { EvaluationProcess } from './evaluation-process.js';
import type { Asking } from './protocol.js';
import { defaultWorkerUrl } from './worker-url.js';

/** Most processes at a time. */
const PROCESSES_MAX = 3;

/** Processes that have nothing to do for so long end, as their memory would stay. */
const IDLE_MS = 60_000;

/** Most questions that wait. */
const WAITING_MAX = 10_000;

/** How expressions are evaluated. */
interface ExpressionEvaluatorOptions {
  readonly clock: Clock;
  /** `$env`: the only variables that expressions may see; none by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** Code of the processes; by default that of this library. */
  readonly workerUrl?: URL;
}

interface Job {
  readonly question: Question;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Evaluates expressions in processes of their own. All expressions of one question have 200 ms of
 * their own time and 64 MiB together; where they take more, their process ends, which is a fault of
 * theirs and delays nobody else: while one process is busy, another one is there or starts. The
 * first two start with the first expression.
 */
export class ExpressionEvaluator implements Evaluator {
  readonly #clock: Clock;
  readonly #env: Readonly<Record<string, string>>;
  readonly #url: URL;
  readonly #processes = new Set<EvaluationProcess>();
  readonly #waiting: Job[] = [];
  #idle: Timer | null = null;
  #isClosed = false;

  constructor({ clock, env = {}, workerUrl }: ExpressionEvaluatorOptions) {
    this.#clock = clock;
    this.#env = env;
    this.#url = workerUrl ?? defaultWorkerUrl();
  }

  /** The answer. Rejects with `EvaluatorUnavailable`, never for a fault of an expression. */
  answer(question: Question): Promise<Answer> {
    if (!needsEvaluation(question)) return answerQuestion(question, notNeeded);
    if (this.#isClosed) return Promise.reject(new EvaluatorUnavailable('expressions: closed'));
    if (this.#waiting.length >= WAITING_MAX) {
      return Promise.reject(new EvaluatorUnavailable('expressions: too many wait'));
    }
    return new Promise((resolve, reject) => {
      this.#waiting.push({ question, resolve, reject });
      this.#open();
      this.#next();
    });
  }

  /** Ends the processes; what waits is refused. Safe to call twice. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#refuse('closed');
    await this.#endAll();
  }

  /** Starts what is missing: one for each question, and a spare one. */
  #open(): void {
    const busy = [...this.#processes].filter((process) => process.isBusy).length;
    const wanted = Math.min(PROCESSES_MAX, busy + Math.min(1, this.#waiting.length) + 1);
    try {
      while (this.#processes.size < wanted) this.#processes.add(this.#start());
    } catch (error) {
      if (this.#processes.size === 0) this.#refuse(String(error));
    }
  }

  #start(): EvaluationProcess {
    const started: EvaluationProcess = new EvaluationProcess({
      clock: this.#clock,
      url: this.#url,
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
      if (!process.isIdle) continue;
      const job = this.#waiting.shift();
      if (job === undefined) break;
      this.#ask(process, job);
      this.#open();
    }
    this.#rest();
  }

  #ask(process: EvaluationProcess, { question, reject, resolve }: Job): void {
    const asking: Asking = { question, env: this.#env };
    const settled = process.answer(asking).then(resolve, reject);
    void settled.then(() => this.#next());
  }

  /** Where nothing is asked for a while, the processes end. */
  #rest(): void {
    this.#idle?.cancel();
    this.#idle = this.#clock.after(IDLE_MS, () => {
      const isBusy = [...this.#processes].some((process) => process.isBusy);
      if (!isBusy && this.#waiting.length === 0) void this.#endAll();
    });
  }

  async #endAll(): Promise<void> {
    this.#idle?.cancel();
    const ending = [...this.#processes];
    this.#processes.clear();
    await Promise.all(ending.map((process) => process.stop()));
  }

  #refuse(reason: string): void {
    for (const { reject } of this.#waiting.splice(0)) {
      reject(new EvaluatorUnavailable(`expressions: ${reason}`));
    }
  }
}

function notNeeded(): Promise<never> {
  return Promise.reject(new Error('there is no expression'));
}
