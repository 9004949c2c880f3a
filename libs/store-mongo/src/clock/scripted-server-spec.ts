import type { ManualClock } from '#testing';
import type { ReadServerTime } from './server-time.js';

/** How long a question takes to the server and its answer takes back, in milliseconds. */
export type Trip = readonly [there: number, back: number];

/** A server that tells its time as the test says, over a line as slow as the test says. */
export class ScriptedServer {
  /** How far its clock is ahead of the machine's monotonic time. */
  ahead = 0;
  /** Whether it answers with an error. */
  isAway = false;
  /** Questions it got. */
  asked = 0;
  /** Happens after its clock was read, before the answer is on its way. */
  onRead: (() => void) | undefined;
  readonly #clock: ManualClock;
  #trips: Trip[] = [];

  constructor(clock: ManualClock) {
    this.#clock = clock;
  }

  /** The next questions take so long, later ones a millisecond each way. */
  script(...trips: readonly Trip[]): void {
    this.#trips = [...trips];
  }

  readonly read: ReadServerTime = async () => {
    this.asked += 1;
    const [there, back] = this.#trips.shift() ?? [1, 1];
    await this.#clock.sleep(there);
    if (this.isAway) throw new Error('the server is away');
    const time = Math.floor(this.#clock.monotonic() + this.ahead);
    this.onRead?.();
    await this.#clock.sleep(back);
    return time;
  };
}
