import { readFileSync } from 'node:fs';
import type { AppProcess } from '../stack/index.js';
import { type Sample, slopeOf } from './slope.js';

const EVERY_MS = 1_000;
/** A young process still takes up what it needs. */
const YOUNG_MS = 30_000;
const KIB_PER_MIB = 1_024;
const HOUR_S = 3_600;

/** Looks at the memory of processes, each life of each for itself. */
export class MemoryWatch {
  readonly #bornAt = new Map<number, number>();
  readonly #lives = new Map<number, Sample[]>();
  readonly #timer: NodeJS.Timeout;

  constructor(processes: readonly AppProcess[]) {
    this.#timer = setInterval(() => {
      for (const { pid } of processes) if (pid !== undefined) this.#look(pid);
    }, EVERY_MS).unref();
  }

  /** MiB an hour by which a process grows; undefined while none has lived long enough. */
  get slope(): number | undefined {
    return slopeOf([...this.#lives.values()]);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  #look(pid: number): void {
    const now = performance.now();
    const rss = residentMib(pid);
    const bornAt = this.#bornAt.get(pid) ?? now;
    this.#bornAt.set(pid, bornAt);
    if (rss === undefined || now - bornAt < YOUNG_MS) return;
    const life = this.#lives.get(pid) ?? [];
    life.push({ at: now / 1_000 / HOUR_S, value: rss });
    this.#lives.set(pid, life);
  }
}

function residentMib(pid: number): number | undefined {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1];
    return kib === undefined ? undefined : Number(kib) / KIB_PER_MIB;
  } catch {
    // It has just ended.
    return undefined;
  }
}
