import type { Answer } from '#core';
import type { Clock } from '#ports';
import { EvaluatorUnavailable } from '#ports';
import { BoundedProcess, type UsedUp } from '../bounded/bounded-process.js';
import { type Asking, MEMORY_MIB, OWN_TIME_MS, type Saying } from './protocol.js';

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

/** One process that answers one question at a time. */
export class EvaluationProcess {
  readonly #process: BoundedProcess<Asking, Saying>;
  #job: Job | null = null;

  constructor({ onEnd, ...options }: EvaluationProcessOptions) {
    this.#process = new BoundedProcess({
      ...options,
      memoryMib: MEMORY_MIB,
      makesCode: false,
      onSaid: (saying) => this.#hear(saying),
      onEnd: ({ reason, usedUp, wasReady }) => {
        const job = this.#take();
        onEnd(wasReady, reason);
        if (job !== null) conclude(job, reason, usedUp);
      },
    });
  }

  /** Whether it can be asked now. */
  get isIdle(): boolean {
    return this.#process.isReady && this.#job === null;
  }

  /** Whether it is asked something. */
  get isBusy(): boolean {
    return this.#job !== null;
  }

  /** Asks it. Rejects with `EvaluatorUnavailable`, never for a fault of an expression. */
  answer(asking: Asking): Promise<CostedAnswer> {
    return new Promise((resolve, reject) => {
      this.#job = { resolve, reject, place: asking.question.members[0]?.name ?? '' };
      this.#process.ask(asking);
    });
  }

  /** Ends it; a question in hand is refused. Resolves once it is gone. */
  stop(): Promise<void> {
    return this.#process.stop();
  }

  #hear(saying: Exclude<Saying, { readonly kind: 'ready' }>): void {
    if (saying.kind === 'at') {
      if (this.#job !== null) this.#job.place = saying.place;
      return;
    }
    const job = this.#take();
    if (job === null) return;
    this.#process.rest();
    if (saying.kind === 'answer') job.resolve({ answer: saying.answer, isTooCostly: false });
    else job.reject(new EvaluatorUnavailable(`the evaluation broke: ${saying.message}`));
  }

  #take(): Job | null {
    const job = this.#job;
    this.#job = null;
    return job;
  }
}

/** The process has ended before it answered. */
function conclude({ place, reject, resolve }: Job, reason: string, usedUp: UsedUp | null): void {
  if (usedUp === null) return reject(new EvaluatorUnavailable(`expressions: ${reason}`));
  const fault = { member: place, position: null, reason: COSTS[usedUp] };
  resolve({ answer: { fault }, isTooCostly: true });
}

const COSTS: Readonly<Record<UsedUp, string>> = {
  time: `it takes longer than ${OWN_TIME_MS} ms`,
  memory: `it takes more than ${MEMORY_MIB} MiB of memory`,
};
