import { once } from 'node:events';
import path from 'node:path';
import { Worker } from 'node:worker_threads';
import { REPOSITORY } from '../stack/repository.js';
import type { Failure } from './sweep.js';
import { ROOMY } from './workers.js';

const JUDGE = path.join(REPOSITORY, 'dist/test/exhaustive/judge.js');

/** A question to a judge; all of it can be sent to a thread. */
export interface Question {
  readonly mutant: string;
  /** Most faults in a run. */
  readonly faults: number;
}

/**
 * Looks for bugs in threads, which are told of errors that nobody caught before anybody else is.
 * Each thread judges one after the other: what is compiled once is quick for all of them.
 */
export class Judges {
  private readonly mutants: string[];

  /** @param tell Receives each mutant's bug as soon as it is judged; null: not found. */
  constructor(
    mutants: readonly string[],
    private readonly tell: (mutant: string, found: Failure | null) => void,
  ) {
    this.mutants = [...mutants];
  }

  /** Judges all of them in a number of threads, with a bound of faults in a run. */
  async judge(faults: number, threads: number): Promise<void> {
    await Promise.all(Array.from({ length: threads }, () => this.work(faults)));
  }

  private async work(faults: number): Promise<void> {
    const worker = new Worker(JUDGE, { resourceLimits: ROOMY });
    try {
      for (let name = this.mutants.shift(); name !== undefined; name = this.mutants.shift()) {
        const question: Question = { mutant: name, faults };
        worker.postMessage(question, []);
        const [found] = (await once(worker, 'message')) as [Failure | null];
        this.tell(name, found);
      }
    } finally {
      await worker.terminate();
    }
  }
}
