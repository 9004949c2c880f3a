import { readFileSync } from 'node:fs';

const NS_PER_MS = 1_000_000;
/** Linux counts the time of processes in hundredths of a second, on every machine. */
const MS_PER_TICK = 10;
/** User and system time, counted from the state of the process, which follows its name. */
const TICKS_AT = [11, 12];
/** The same of those of its child processes that have ended. */
const ENDED_TICKS_AT = [13, 14];

/**
 * How long another process has had a processor: what else the machine does does not count. Null
 * where the system does not tell.
 */
export interface ProcessorClock {
  readonly spentMs: (pid: number) => number | null;
  /** The least that it can tell from nothing. */
  readonly stepMs: number;
}

/** All threads that the process ever had. */
export const WHOLE_PROCESS: ProcessorClock = {
  stepMs: MS_PER_TICK,
  spentMs: (pid) => ticksOf(pid, TICKS_AT),
};

/** Its child processes that have ended. */
export const ENDED_CHILDREN: ProcessorClock = {
  stepMs: MS_PER_TICK,
  spentMs: (pid) => ticksOf(pid, ENDED_TICKS_AT),
};

function ticksOf(pid: number, places: readonly number[]): number | null {
  const fields = read(`/proc/${pid}/stat`)?.split(') ').at(-1)?.split(' ');
  if (fields === undefined) return null;
  return places.reduce((sum, at) => sum + Number(fields[at]) * MS_PER_TICK, 0);
}

/** Its main thread alone. */
export const MAIN_THREAD: ProcessorClock = {
  stepMs: 1 / NS_PER_MS,
  spentMs: (pid) => {
    const ns = read(`/proc/${pid}/schedstat`)?.split(' ')[0];
    return ns === undefined ? null : Number(ns) / NS_PER_MS;
  },
};

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
