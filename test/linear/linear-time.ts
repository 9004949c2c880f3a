import { GROWTH_MAX, growthOf, limitBeside, quicker, SIZES } from './growth.js';

/** Something that reads an input whose size can be chosen. */
export interface LinearReading<T> {
  /** Makes the input of a size; not measured. */
  readonly make: (size: number) => T;
  /** Reads it. The value that it returns or throws does not matter. */
  readonly read: (input: T) => unknown;
  /**
   * The largest size: as large as the edge takes, where that is quick. The smallest one is an
   * eighth of it, which must be large enough to be read in the same way.
   */
  readonly size: number;
}

/** One round is not believed, however good it looks. */
const ROUNDS_MIN = 2;
/** A reading still too slow after this number of rounds was not slowed by a disturbance. */
const ROUNDS_MAX = 40;
/** The most processor time that is spent on it, in milliseconds. */
const PATIENCE_MS = 4_000;
/** Growth of twice the limit is given fewer rounds. */
const ROUNDS_ENOUGH = 10;
/** A run shorter than this is repeated until it can be told from nothing. */
const RUN_MS = 0.5;
const REPEATS_MAX = 4_096;

/**
 * Reads inputs of four sizes, each twice as large as the one before, and compares the times, each
 * taken as the best of several runs, which alternate. Gives the growth that was reached
 * last; above the limit, the reading is not linear.
 */
export function timeGrowth<T>({ make, read, size }: LinearReading<T>): number {
  const inputs = SIZES.map((part) => make(size * part));
  const measure = stopwatch(inputs, read);
  let best = measure();
  const start = processorMs();
  for (let round = 1; ; round += 1) {
    const growth = growthOf(best);
    if (growth <= GROWTH_MAX && round >= ROUNDS_MIN) return growth;
    if (growth > GROWTH_MAX * (round >= ROUNDS_ENOUGH ? 2 : Infinity)) return growth;
    if (round >= ROUNDS_MAX || processorMs() - start > PATIENCE_MS) return growth;
    best = quicker(best, measure());
  }
}

/** A reading too slow this often, each time with new inputs, is not unlucky. */
const TRIES = 4;
/** Rounds in which a reading and the copy of its input are timed side by side. */
const ROUNDS_BESIDE = 10;

/**
 * Throws unless the reading takes time in proportion to its input. One that seems not to is judged
 * beside a copy of the same input, which is linear: where both outgrow the machine's caches, or
 * others fill them, both become slower in the same way.
 */
export function expectLinear<T>(reading: LinearReading<T>): void {
  const found: number[] = [];
  let limit = GROWTH_MAX;
  while (found.length < TRIES) {
    const growth = timeGrowth(reading);
    if (growth <= GROWTH_MAX) return;
    const beside = growthBesideCopy(reading);
    limit = limitBeside(beside.copy);
    if (beside.growth <= limit) return;
    found.push(beside.growth);
  }
  const { size } = reading;
  const sizes = `sizes ${size * SIZES[0]} to ${size}`;
  const times = Math.min(...found).toFixed(1);
  const most = limit.toFixed(2);
  throw new Error(`${sizes}: ${times} times the time in two doublings, at most ${most}`);
}

/** The growth of a reading and that of a copy of its input, timed in turns. */
function growthBesideCopy<T>({ make, read, size }: LinearReading<T>): {
  readonly growth: number;
  readonly copy: number;
} {
  const inputs = SIZES.map((part) => make(size * part));
  const [timeRead, timeCopy] = [stopwatch(inputs, read), stopwatch(inputs, copyOf)];
  let [reading, copy] = [timeRead(), timeCopy()];
  for (let round = 1; round < ROUNDS_BESIDE; round += 1) {
    reading = quicker(reading, timeRead());
    copy = quicker(copy, timeCopy());
  }
  return { growth: growthOf(reading), copy: growthOf(copy) };
}

function copyOf(input: unknown): unknown {
  return JSON.parse(JSON.stringify(input));
}

/** Times a run with each of the inputs, the smallest first. */
function stopwatch<T>(inputs: readonly T[], run: (input: T) => unknown): () => readonly number[] {
  const repeats = repeatsFor(() => attempt(run, inputs[0]!));
  return () => inputs.map((input) => elapsed(() => attempt(run, input), repeats));
}

function repeatsFor(run: () => void): number {
  run();
  let repeats = 1;
  while (repeats < REPEATS_MAX && elapsed(run, repeats) < RUN_MS) repeats *= 2;
  return repeats;
}

/**
 * The lesser of two times, each of which can only be too long: the time that passed has that of
 * other processes in it, and the processor time that of the collector's and compiler's threads,
 * which grows with all that the process holds.
 */
function elapsed(run: () => void, repeats: number): number {
  const [start, startPassed] = [processorMs(), performance.now()];
  for (let count = 0; count < repeats; count += 1) run();
  return Math.min(processorMs() - start, performance.now() - startPassed);
}

/** Processor time of this process, all its threads. */
function processorMs(): number {
  const { system, user } = process.cpuUsage();
  return (system + user) / 1_000;
}

function attempt<T>(read: (input: T) => unknown, input: T): void {
  try {
    read(input);
  } catch {
    // A refusal takes time as well, and that is what is looked at.
  }
}
