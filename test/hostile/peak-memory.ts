import { readFileSync, writeFileSync } from 'node:fs';

const KIB_PER_MIB = 1_024;
/** Tells Linux to take the peak from now on. */
const FROM_NOW = '5';

/** Forgets how much memory a process had before. Does nothing where the system cannot. */
export function forgetPeak(pid: number): void {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, FROM_NOW);
  } catch {
    // It has ended, or this is no Linux.
  }
}

/** The largest resident memory of a process, in MiB; null where the system does not tell. */
export function peakMib(pid: number): number | null {
  try {
    const kib = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return kib === undefined ? null : Math.round(Number(kib) / KIB_PER_MIB);
  } catch {
    return null;
  }
}
