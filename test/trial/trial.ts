import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { it } from '@jest/globals';
import { seededRandom, type SeededRandom } from './seeded-random.js';
import { turnOfCode } from './turn.js';

/** Something that has to be stopped, whatever comes of a trial. */
export interface Stoppable {
  stop(): Promise<unknown>;
}

/**
 * The parts that tests of one file share: a folder, chance that can be repeated, and the duty to
 * end everything that was started. Failures say how to repeat them and where the logs are, which
 * then stay.
 */
export class Trial {
  readonly seed = seedOfRun();
  readonly random: SeededRandom = seededRandom(this.seed);
  readonly #started: Stoppable[] = [];
  #failed = false;
  #folder: string | undefined;

  constructor(private readonly name: string) {}

  /** Where everything of this trial is. */
  get folder(): string {
    if (this.#folder === undefined) throw new Error('the trial was not opened');
    return this.#folder;
  }

  async open(): Promise<void> {
    this.#folder = await mkdtemp(path.join(tmpdir(), `backstep-e2e-${this.name}-`));
  }

  /** Has something stopped at the end, the last one first. */
  use<T extends Stoppable>(started: T): T {
    this.#started.push(started);
    return started;
  }

  /** Ends everything, and clears up unless a person will want to look. */
  async close(): Promise<void> {
    const stops = this.#started.splice(0).reverse();
    const results = await Promise.allSettled(stops.map((started) => started.stop()));
    if (!this.#failed) await rm(this.folder, { recursive: true, force: true, maxRetries: 20 });
    const failed = results.find((result) => result.status === 'rejected');
    if (failed?.status === 'rejected') throw failed.reason;
  }

  /** A test of this trial. */
  it(rule: string, work: () => Promise<void>): void {
    it(rule, this.guard(work));
  }

  /** A setup of this trial: like that of a test, its error says how to repeat it. */
  guard(work: () => Promise<void>): () => Promise<void> {
    return async () => {
      try {
        await work();
      } catch (error) {
        this.#failed = true;
        if (!(error instanceof Error)) throw error;
        const hint = `\nrepeat: BACKSTEP_TEST_SEED=${this.seed}; logs: ${this.folder}`;
        // The message of one that has ended a request cannot be written.
        if (error instanceof DOMException) {
          throw new Error(`${error.message}${hint}`, { cause: error });
        }
        error.message += hint;
        // Runners print the stack, which was made with the old message.
        error.stack = `${error.message}\n${error.stack ?? ''}`;
        throw error;
      }
    };
  }
}

/** In the gate the same code has the same chance; elsewhere every run has another. */
function seedOfRun(): number {
  const { BACKSTEP_TEST_SEED: wanted, CI } = process.env;
  if (wanted !== undefined) return Number(wanted);
  return CI === 'true' ? turnOfCode() : Date.now() % 1_000_000;
}
