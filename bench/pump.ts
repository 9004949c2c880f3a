import { setTimeout as delay } from 'node:timers/promises';
import { assertNever } from '#core';

/** How tasks are handed in. Times are milliseconds. */
export type Drive =
  /** As many as go, this number in flight. */
  | { readonly kind: 'full'; readonly flow: string; readonly ms: number; readonly inFlight: number }
  /** This number in all, and this number in flight. */
  | {
      readonly kind: 'batch';
      readonly flow: string;
      readonly tasks: number;
      readonly inFlight: number;
    }
  /** One after another. */
  | { readonly kind: 'alone'; readonly flow: string; readonly tasks: number }
  /** At a fixed pace. */
  | {
      readonly kind: 'paced';
      readonly flow: string;
      readonly ms: number;
      readonly perSecond: number;
    };

/** Tasks that are handed in all at once. */
export interface HandedIn {
  readonly flow: string;
  readonly count: number;
}

/** The result of a drive. */
export interface Driven {
  /** The number of tasks handed in; all of them finished. */
  readonly tasks: number;
  /** Finished within the time, per second; of drives at full speed and of batches only. */
  readonly perSecond: number;
}

/** Longest wait for the tasks that are still under way at the end. */
const DRAIN_MS = 60_000;

/** Hands in tasks and keeps count of those that finish. */
export class Pump {
  #submitted = 0;
  #finished = 0;
  #onFinished: () => void = () => {};
  #failure: unknown;

  /** `submit` resolves when the task is stored; its end is told to {@link finished}. */
  constructor(private readonly submit: (flow: string) => Promise<unknown>) {}

  /** The number of tasks that have finished. */
  finished(count: number): void {
    this.#finished += count;
    this.#onFinished();
  }

  /** Hands in tasks; resolves when all are stored, however long they run. */
  async handIn({ count, flow }: HandedIn): Promise<void> {
    this.#submitted += count;
    await Promise.all(Array.from({ length: count }, () => this.submit(flow)));
  }

  /** Carries out a drive to the end of its last task. */
  async run(drive: Drive): Promise<Driven> {
    const before = this.#submitted;
    const perSecond = await this.#drive(drive);
    await this.#untilInFlight(0);
    return { tasks: this.#submitted - before, perSecond };
  }

  #drive(drive: Drive): Promise<number> {
    switch (drive.kind) {
      case 'full':
        return this.#runFull(drive);
      case 'batch':
        return this.#runBatch(drive);
      case 'alone':
        return this.#runAlone(drive);
      case 'paced':
        return this.#runPaced(drive);
      default:
        return assertNever(drive);
    }
  }

  async #runFull({ flow, inFlight, ms }: Drive & { kind: 'full' }): Promise<number> {
    const before = this.#finished;
    const start = performance.now();
    let most = inFlight;
    const fill = (): void => {
      while (this.#inFlight < most && this.#failure === undefined) this.#start(flow);
    };
    this.#onFinished = fill;
    fill();
    await delay(ms);
    most = 0;
    const perSecond = ((this.#finished - before) / (performance.now() - start)) * 1_000;
    return perSecond;
  }

  async #runBatch({ flow, inFlight, tasks }: Drive & { kind: 'batch' }): Promise<number> {
    const last = this.#submitted + tasks;
    const start = performance.now();
    const fill = (): void => {
      const most = Math.min(inFlight, last - this.#finished);
      while (this.#inFlight < most && this.#failure === undefined) this.#start(flow);
    };
    await this.#untilInFlight(0, fill);
    return (tasks / (performance.now() - start)) * 1_000;
  }

  async #runAlone({ flow, tasks }: Drive & { kind: 'alone' }): Promise<number> {
    for (let n = 0; n < tasks; n += 1) {
      this.#start(flow);
      await this.#untilInFlight(0);
    }
    return 0;
  }

  async #runPaced({ flow, ms, perSecond }: Drive & { kind: 'paced' }): Promise<number> {
    const start = performance.now();
    for (let n = 0; (n * 1_000) / perSecond < ms; n += 1) {
      await delay(Math.max(0, start + (n * 1_000) / perSecond - performance.now()));
      this.#start(flow);
    }
    return 0;
  }

  get #inFlight(): number {
    return this.#submitted - this.#finished;
  }

  #start(flow: string): void {
    this.#submitted += 1;
    this.submit(flow).catch((error: unknown) => {
      this.#failure ??= error;
      this.finished(1);
    });
  }

  /** `fill` hands in whatever is to follow what has finished. */
  async #untilInFlight(count: number, fill: () => void = () => {}): Promise<void> {
    const patience = new AbortController();
    const reached = new Promise<void>((resolve) => {
      this.#onFinished = () => {
        fill();
        if (this.#inFlight <= count) resolve();
      };
      this.#onFinished();
    });
    const late = delay(DRAIN_MS, 'late' as const, { signal: patience.signal }).catch(() => 'late');
    const first = await Promise.race([reached, late]);
    patience.abort();
    if (this.#failure !== undefined) throw this.#failure as Error;
    if (first === 'late') throw new Error(`${this.#inFlight} tasks do not finish`);
  }
}
