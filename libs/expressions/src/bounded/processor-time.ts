import { readFileSync } from 'node:fs';

/** How long one piece of work has lasted, and how much of the processor it has had, in ms. */
interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

/** Length of a tick in which Linux counts the time of threads, in milliseconds. */
const TICK_MS = 10;

/**
 * The processor time that this process's main thread has had, in milliseconds. Beside it the engine
 * compiles and collects garbage in threads of its own, which may take more than the work itself:
 * where it has to wait for the processor, that would be counted as its cost. Only Linux tells the
 * time of one thread to another; elsewhere it is the time of all threads.
 */
export function processorMs(): number {
  const ticks = process.platform === 'linux' ? ticksOf(process.pid) : null;
  if (ticks !== null) return ticks * TICK_MS;
  const { system, user } = process.cpuUsage();
  return (system + user) / 1_000;
}

function ticksOf(thread: number): number | null {
  try {
    return ticksIn(readFileSync(`/proc/self/task/${thread}/stat`, 'latin1'));
  } catch {
    return null;
  }
}

/** The time in user and in system mode of a `stat` file; null: it has none. */
export function ticksIn(stat: string): number | null {
  // The name before the last parenthesis may have spaces and parentheses of its own.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const ticks = Number(fields[11]) + Number(fields[12]);
  return Number.isFinite(ticks) ? ticks : null;
}

/**
 * Whether a piece of work has used up its time. Both count: on a busy machine it lasts long without
 * having had the processor, and where the time of all threads is all that is known, it has had more
 * processor time than has passed.
 */
export function isOverrun({ processorMs, wallMs }: Spent, ownTimeMs: number): boolean {
  return wallMs >= ownTimeMs && processorMs >= ownTimeMs;
}
