import type { Sizes } from './sizes.js';

/** Numbers that one system gave in one round, by metric. */
export type Readings = Readonly<Record<string, number>>;

/** One system under test, running: ours, a floor, or a peer. */
export interface Rival {
  /** One round. `brief`: a warm-up whose numbers nobody looks at. */
  measure(brief?: boolean): Promise<Readings>;
  /** Lets go of everything it has started. */
  stop(): Promise<void>;
}

/** A system that is not to be had here. */
export interface Absent {
  readonly absent: string;
}

/** Either of the two ways in which Backstep is deployed. */
export type Deployment = 'standalone' | 'distributed';

/** One line of the results: a metric of one rival beside the same metric of another. */
export interface RowPlan {
  readonly name: string;
  readonly unit: string;
  readonly metric: string;
  /** The rival that is measured. Default: `ours`. */
  readonly of?: string;
  /** The rival that it is compared with. Default: `floor`. */
  readonly beside?: string;
  readonly better: 'more' | 'less';
  /** Smallest ratio that is good enough. */
  readonly goal?: number;
  /** A value that is good enough whatever the ratio is. */
  readonly limit?: number;
}

/** Where a benchmark works. */
export interface Bench {
  readonly sizes: Sizes;
  /** An empty folder that goes with the run. */
  readonly folder: string;
  /** A folder that stays from run to run. */
  readonly cache: string;
  /** Tells people what goes on. */
  say(text: string): void;
}

/** One comparison: rivals that are measured in turns, and what is made of their numbers. */
export interface Benchmark {
  readonly name: string;
  readonly deployment: Deployment;
  readonly rows: readonly RowPlan[];
  /** Rounds for each one of other benchmarks: more where little is told apart. Default: 1. */
  readonly roundFactor?: number;
  /** How one rival after the other is started, by name, in the order of a round. */
  readonly rivals: Readonly<Record<string, (bench: Bench) => Promise<Rival | Absent>>>;
  /** Rows whose names depend on what was really there. */
  readonly rowsOf?: (bench: Bench) => readonly RowPlan[];
}

/** Tells what is not to be had from what runs. */
export function isAbsent(started: Rival | Absent): started is Absent {
  return 'absent' in started;
}
