import type { Mutant } from '../simulation/mutant.js';
import type { Case } from './cases.js';
import { type Placement, textOf } from './placement.js';
import { playCase, type Run, type RunResult } from './play-case.js';

/** Which runs of a case to play. */
export interface SweepOptions {
  readonly mutant: Mutant | null;
  /** Most faults in a run: none, one, or two. */
  readonly faults: number;
  /** Of the pairs of faults, every how manieth is played. */
  readonly every: number;
  /** Which of them: others with every number, until all have had their turn. */
  readonly turn: number;
  /** This part of the work, of a number of parts. */
  readonly share: { readonly index: number; readonly of: number };
  /** Failed runs after which to stop. */
  readonly failuresMax: number;
}

/** A run that broke a promise. */
export interface Failure {
  readonly case: string;
  readonly placements: string;
  readonly invariant: string;
  readonly message: string;
}

/** The results of the runs of one case. */
export interface CaseSummary {
  readonly name: string;
  /** In the run without faults. */
  readonly operations: number;
  /** Runs played with no fault, with one, and with two. */
  readonly played: [number, number, number];
  /** All pairs of faults that there are, played or not. */
  pairs: number;
  readonly failures: Failure[];
}

/**
 * Plays a case without faults, then with one at every place, then with a second one at every place
 * that follows. The pair at place `p` after the first fault number `n` is played where `every`
 * divides `n * STRIDE + p + turn`.
 */
export async function sweepCase(task: Case, options: SweepOptions): Promise<CaseSummary> {
  return new Sweep(task, options).play();
}

/**
 * Between the first faults of neighbours in a sample. With 1, all pairs of a turn lie on one line
 * where there are more than places, and most turns have none. Of 23 and of 97 it is a multiple and
 * one more: there the lines are dense enough as they are.
 */
const STRIDE = 23 * 97 + 1;

/** One case while its runs are played. */
class Sweep {
  private readonly played: CaseSummary['played'] = [0, 0, 0];
  private readonly failures: Failure[] = [];
  private pairs = 0;

  constructor(
    private readonly task: Case,
    private readonly options: SweepOptions,
  ) {}

  async play(): Promise<CaseSummary> {
    const { failures, options, played, task } = this;
    const plain = await this.run([]);
    const isFirstShare = options.share.index === 0;
    if (isFirstShare) this.note(plain);
    const { next, operations } = plain;
    if (options.faults > 0) await this.playSingles(next);
    return { name: task.name, operations, played, pairs: this.pairs, failures };
  }

  private async playSingles(places: readonly Placement[]): Promise<void> {
    const { faults, share } = this.options;
    for (const [number, place] of places.entries()) {
      if (this.isEnough()) return;
      if (number % share.of !== share.index) continue;
      const single = await this.run([place]);
      this.note(single);
      this.pairs += single.next.length;
      if (faults > 1) await this.playPairs(single, number);
    }
  }

  private async playPairs({ next, run }: RunResult, number: number): Promise<void> {
    const { every, turn } = this.options;
    const first = (every - ((number * STRIDE + turn) % every)) % every;
    for (let place = first; place < next.length; place += every) {
      if (this.isEnough()) return;
      this.note(await this.run([...run.placements, next[place]!]));
    }
  }

  private run(placements: readonly Placement[]): Promise<RunResult> {
    const { faults, mutant } = this.options;
    const run: Run = { task: this.task, placements };
    return playCase(run, { mutant, looksAhead: placements.length < faults });
  }

  private note({ run, violations }: RunResult): void {
    const { length } = run.placements;
    this.played[length as 0 | 1 | 2] += 1;
    const [first] = violations;
    if (first === undefined) return;
    const placements = textOf(run.placements);
    this.failures.push({ case: this.task.name, placements, ...first });
  }

  private isEnough(): boolean {
    return this.failures.length >= this.options.failuresMax;
  }
}
