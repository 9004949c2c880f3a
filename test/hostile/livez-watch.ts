import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { REPOSITORY } from '../stack/index.js';

/** How often `/livez` is asked. */
export const PROBE_EVERY_MS = 10;

/** The figures of the probe for one span. */
export interface ProbeReport {
  /** Milliseconds, of those as well who would have asked during a wait. */
  readonly waits: readonly number[];
  /** Questions that got no good answer. */
  readonly failed: number;
}

/** How long `/livez` was waited for in a span. */
export interface LivezWaits {
  readonly count: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const PROBE = path.join(REPOSITORY, 'dist/test/hostile/livez-probe.js');

/** Watches how long a process lets `/livez` wait. */
export class LivezWatch {
  readonly #child: ChildProcess;

  constructor(url: string) {
    this.#child = fork(PROBE, [url], {
      execArgv: [],
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
  }

  /** The waits since the last call. */
  async span(): Promise<LivezWaits> {
    const told = once(this.#child, 'message') as Promise<[ProbeReport]>;
    this.#child.send('tell');
    const [{ failed, waits }] = await told;
    const sorted = waits.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
    return { count: sorted.length, failed, p50: at(0.5), p99: at(0.99), max: at(1) };
  }

  async stop(): Promise<void> {
    const { exitCode, signalCode } = this.#child;
    if (exitCode !== null || signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }
}
