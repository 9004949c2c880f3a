import { readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';

/** With this signal a process ends itself when its time is used up. */
export const OVERRUN_SIGNAL = 'SIGALRM';

/** The data of the watchdog's thread. */
export interface WatchdogData {
  /** The number of the piece of work under way; 0: none. */
  readonly underWay: Int32Array;
  /** Processor time that each piece of work may take, in milliseconds. */
  readonly ownTimeMs: number;
}

/** Marks the pieces of work of a bounded process, which ends when one takes too long. */
interface OwnTime {
  /** A piece of work begins, and with it its time. */
  begin(): void;
  /** It has ended. */
  end(): void;
}

/** How long one piece of work has lasted, and how much of the processor it has had, in ms. */
interface Spent {
  readonly wallMs: number;
  readonly processorMs: number;
}

/** Length of a tick in which Linux counts the time of threads, in milliseconds. */
const TICK_MS = 10;

/**
 * For the code of a bounded process: has a thread watch the process from now on, and makes it hear
 * what a bounded process must hear. `ownTimeMs` is the processor time that each piece of work may
 * take; `onReady` is called once, when the first one may begin.
 */
export function watchOwnTime(ownTimeMs: number, onReady: () => void): OwnTime {
  const underWay = new Int32Array(new SharedArrayBuffer(4));
  const workerData: WatchdogData = { underWay, ownTimeMs };
  const watchdog = new Worker(new URL('./watchdog.js', import.meta.url), { workerData });
  watchdog.unref();
  watchdog.on('online', onReady);
  // A terminal sends its signals to every process; the one that asks decides when this one ends.
  process.on('SIGINT', () => undefined);
  process.on('SIGTERM', () => undefined);
  process.on('disconnect', () => process.exit());
  let last = 0;
  const mark = (number: number): void => {
    Atomics.store(underWay, 0, number);
    Atomics.notify(underWay, 0);
  };
  return {
    begin: () => {
      last = (last % 0x7fff_ffff) + 1;
      mark(last);
    },
    end: () => mark(0),
  };
}

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
