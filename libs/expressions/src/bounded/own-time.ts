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
