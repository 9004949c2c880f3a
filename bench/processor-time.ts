import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts in hundredths of a second. */
const TICK_US = 10_000;
const PAGE_BYTES = 4_096;

/** Processor time, in microseconds, and memory of one process or more. */
export interface Usage {
  readonly cpuUs: number;
  readonly memoryBytes: number;
  /** The main thread's part; undefined where the system does not tell. */
  readonly mainUs?: number;
  /** The part of the busiest other thread, which is the store's worker where there is one. */
  readonly workerUs?: number;
}

/** Processor time and memory that this process has used so far. */
export function ownUsage(): Usage {
  const { system, user } = process.cpuUsage();
  const total = { cpuUs: user + system, memoryBytes: process.memoryUsage.rss() };
  return { ...total, ...ownThreads() };
}

/** Usage of a process group so far: a server with all of its children. Zero off Linux. */
export function groupUsage(leader: number | undefined): Usage {
  if (leader === undefined) return { cpuUs: 0, memoryBytes: 0 };
  const members = readStats('/proc').filter(({ group }) => group === leader);
  return {
    cpuUs: members.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    memoryBytes: members.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

/** Processor time used between two moments; memory is that of the later one. */
export function usedBetween(before: Usage, after: Usage): Usage {
  return {
    cpuUs: after.cpuUs - before.cpuUs,
    memoryBytes: after.memoryBytes,
    ...(after.mainUs !== undefined && { mainUs: after.mainUs - (before.mainUs ?? 0) }),
    ...(after.workerUs !== undefined && { workerUs: after.workerUs - (before.workerUs ?? 0) }),
  };
}

/** Several of them as one; threads are not added up. */
export function sumOf(usages: readonly Usage[]): Usage {
  return {
    cpuUs: usages.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    memoryBytes: usages.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

interface Stat {
  readonly id: number;
  readonly group: number;
  readonly cpuUs: number;
  readonly memoryBytes: number;
}

function ownThreads(): Pick<Usage, 'mainUs' | 'workerUs'> {
  const threads = readStats('/proc/self/task');
  const main = threads.find(({ id }) => id === process.pid);
  if (main === undefined) return {};
  const others = threads.filter(({ id }) => id !== process.pid).map(({ cpuUs }) => cpuUs);
  return { mainUs: main.cpuUs, workerUs: Math.max(0, ...others) };
}

function readStats(folder: string): Stat[] {
  return listIds(folder).flatMap((id) => {
    try {
      const text = readFileSync(`${folder}/${id}/stat`, 'utf8');
      // The name stands in brackets and may hold anything.
      const fields = text
        .slice(text.lastIndexOf(')') + 2)
        .split(' ')
        .map(Number);
      const cpuUs = ((fields[11] ?? 0) + (fields[12] ?? 0)) * TICK_US;
      const memoryBytes = (fields[21] ?? 0) * PAGE_BYTES;
      return [{ id: Number(id), group: fields[2] ?? 0, cpuUs, memoryBytes }];
    } catch {
      return [];
    }
  });
}

function listIds(folder: string): string[] {
  try {
    return readdirSync(folder).filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}
