import type { Answer, Question } from '#core';
import { type AbortSignalLike, type Clock, type Evaluator, EvaluatorUnavailable } from '#ports';
import { answerQuestion, needsEvaluation } from './answer-question.js';
import { type EvaluationJob, EvaluationPool } from './evaluation-pool.js';
import { defaultWorkerUrl } from './worker-url.js';

/** For so long a flow is slow after an expression of it took too much, in milliseconds. */
const SLOW_MS = 60_000;

/** Flows that are kept; of more, those that were slow longest ago are forgotten. */
const SLOW_FLOWS_MAX = 1_000;

/** Most processes for the questions of tasks. One flow leaves one of them to the next flow. */
const PROCESSES_MAX = 4;

/**
 * How far the process of drafts stands back, as no task waits for it. Behind others that need the
 * whole machine it still gets about a tenth of its share.
 */
const DRAFT_NICENESS = 10;

/** How expressions are evaluated. */
interface ExpressionEvaluatorOptions {
  readonly clock: Clock;
  /** `$env`: the only variables that expressions may see; none by default. */
  readonly env?: Readonly<Record<string, string>>;
  /** Code of the processes; by default that of this library. */
  readonly workerUrl?: URL;
}

/**
 * Evaluates expressions in processes of their own. All expressions of one question have 200 ms of
 * their own time and 64 MiB together; where they take more, their process ends, which is a fault of
 * theirs. There are three pools. Questions of tasks take turns by their flows; one process more
 * than the busy ones is ready, so that no task waits for the end of another one's question. A flow
 * with an expression that took too much is slow for a while: the questions of all slow flows are
 * answered one at a time. So are drafts, the questions that only a request waits for, by a process
 * that stands back.
 */
export class ExpressionEvaluator implements Evaluator {
  readonly #tasks: EvaluationPool<string>;
  readonly #slowTasks: EvaluationPool<string>;
  readonly #drafts: EvaluationPool<AbortSignalLike>;
  readonly #slowFlows: SlowFlows;
  /** Of drafts: those whose end ends the work for them. */
  readonly #watched = new WeakSet<AbortSignalLike>();

  constructor({ clock, env = {}, workerUrl }: ExpressionEvaluatorOptions) {
    const means = { clock, env, url: workerUrl ?? defaultWorkerUrl() };
    const onTooCostly = (flow: string): void => this.#slowDown(flow);
    const alone = { ...means, atOnce: 1 };
    const shared = { ...means, atOnce: PROCESSES_MAX, processes: PROCESSES_MAX, niceness: 0 };
    this.#slowFlows = new SlowFlows(clock);
    this.#tasks = new EvaluationPool({ ...shared, hasSpare: true, onTooCostly });
    this.#slowTasks = new EvaluationPool({
      ...alone,
      processes: 2,
      niceness: 0,
      hasSpare: true,
      onTooCostly,
    });
    this.#drafts = new EvaluationPool({
      ...alone,
      processes: 1,
      niceness: DRAFT_NICENESS,
      hasSpare: false,
    });
  }

  /** The answer. Rejects with `EvaluatorUnavailable`, never for a fault of an expression. */
  answer(question: Question, draft?: AbortSignalLike): Promise<Answer> {
    if (!needsEvaluation(question)) return answerQuestion(question, notNeeded);
    return new Promise((resolve, reject) => {
      const job = { question, resolve, reject };
      if (draft !== undefined) return this.#addDraft({ ...job, asker: draft });
      const { flow } = question.scene.task;
      const pool = this.#slowFlows.has(flow) ? this.#slowTasks : this.#tasks;
      pool.add({ ...job, asker: flow });
    });
  }

  /** Ends the processes; what waits is refused. Safe to call twice. */
  async close(): Promise<void> {
    await Promise.all([this.#tasks, this.#slowTasks, this.#drafts].map((pool) => pool.close()));
  }

  #addDraft(job: EvaluationJob<AbortSignalLike>): void {
    const draft = job.asker;
    if (draft.aborted) return job.reject(new EvaluatorUnavailable('expressions: it is too late'));
    if (!this.#watched.has(draft)) {
      this.#watched.add(draft);
      draft.addEventListener('abort', () => this.#drafts.abandon(draft), { once: true });
    }
    this.#drafts.add(job);
  }

  /** From now on the questions of a flow wait for those of other slow flows, and for no others. */
  #slowDown(flow: string): void {
    this.#slowFlows.add(flow);
    for (const job of this.#tasks.removeAllOf(flow)) this.#slowTasks.add(job);
  }
}

function notNeeded(): Promise<never> {
  return Promise.reject(new Error('there is no expression'));
}

/** The flows with an expression that took more than it may a short while ago. */
class SlowFlows {
  /** Until when, by the monotonic clock; slow longest ago first. */
  readonly #until = new Map<string, number>();

  constructor(private readonly clock: Pick<Clock, 'monotonic'>) {}

  /** Whether a flow is slow now. */
  has(flow: string): boolean {
    const until = this.#until.get(flow);
    if (until === undefined) return false;
    if (until > this.clock.monotonic()) return true;
    this.#until.delete(flow);
    return false;
  }

  /** An expression of a flow took too much now. */
  add(flow: string): void {
    this.#until.delete(flow);
    this.#until.set(flow, this.clock.monotonic() + SLOW_MS);
    const [oldest] = this.#until.keys();
    if (this.#until.size > SLOW_FLOWS_MAX && oldest !== undefined) this.#until.delete(oldest);
  }
}
