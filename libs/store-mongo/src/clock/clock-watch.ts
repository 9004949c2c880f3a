import type { Clock, Notice, Observer, Timer } from '#ports';
import { type Measurement, measureOffset, type ReadServerTime } from './server-time.js';
import { HARMLESS_MS, type ServerClock } from './server-clock.js';

/**
 * How often the server's clock is measured, in milliseconds. Where it was set, governance judges no
 * lease for the length of one (10 s by default): every process has to have followed by then, and to
 * have renewed the leases it holds.
 */
export const MEASURE_EVERY_MS = 3_000;

/** How often it is looked whether that is due, in milliseconds. */
export const LOOK_EVERY_MS = 1_000;

/** The dependencies of a watch. */
interface WatchParts {
  readonly clock: ServerClock;
  /** This machine's own time. */
  readonly machine: Clock;
  readonly read: ReadServerTime;
  readonly observer: Observer;
}

/**
 * Keeps a `ServerClock` right as long as the server can be asked, and tells people what they should
 * know of clocks. A machine that slept has a time of day that jumped against its monotonic time:
 * then it does not wait for the next measurement.
 */
export class ClockWatch {
  readonly clock: ServerClock;
  readonly #parts: WatchParts;
  #timer: Timer | undefined;
  #isStopped = false;
  #isMeasuring = false;
  #dueAt = -Infinity;
  /** This machine's time of day minus its monotonic time when it was last looked at. */
  #lead: number;
  /** How far this machine's time of day was ahead of the server's when people were told; 0: not. */
  #toldAhead = 0;

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.clock = parts.clock;
    this.#lead = leadOf(parts.machine);
    this.#wait();
  }

  /** Measures at once, or again at the next look where a measurement is under way. */
  hurry(): void {
    this.#dueAt = -Infinity;
    if (!this.#isStopped) this.#look();
  }

  /** From now on time is told as it goes on by itself. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  #wait(): void {
    this.#timer = this.#parts.machine.after(LOOK_EVERY_MS, () => {
      this.#wait();
      this.#look();
    });
  }

  #look(): void {
    const { machine } = this.#parts;
    const lead = leadOf(machine);
    if (Math.abs(lead - this.#lead) > HARMLESS_MS) this.#dueAt = -Infinity;
    this.#lead = lead;
    if (!this.#isMeasuring && machine.monotonic() >= this.#dueAt) void this.#measure();
  }

  async #measure(): Promise<void> {
    const { clock, machine, read } = this.#parts;
    this.#isMeasuring = true;
    this.#dueAt = machine.monotonic() + MEASURE_EVERY_MS;
    try {
      const measurement = await measureOffset(read, machine);
      this.#tellJump(clock.correct(measurement));
      this.#tellMachine(measurement);
    } catch (error) {
      this.#dueAt = -Infinity;
      const message = "the store's clock could not be read; time goes on by itself";
      this.#tell({ level: 'debug', name: 'clock_unmeasured', message, error });
    } finally {
      this.#isMeasuring = false;
    }
  }

  #tellJump(jumpMs: number): void {
    if (jumpMs === 0) return;
    const message =
      `time jumped ${apart(jumpMs, ['forward', 'back'])}: the store's clock was set, ` +
      'another server became the primary, or this machine slept';
    this.#tell({ level: 'warn', name: 'clock_jumped', message });
  }

  #tellMachine({ error, offset }: Measurement): void {
    const ahead = leadOf(this.#parts.machine) - offset;
    const isFar = Math.abs(ahead) - error > HARMLESS_MS;
    if (isFar && Math.abs(ahead - this.#toldAhead) - error > HARMLESS_MS) {
      this.#toldAhead = ahead;
      const message =
        `this machine's clock is ${apart(ahead, ['ahead of', 'behind'])} the store's, ` +
        'whose time counts; keep it right with NTP';
      this.#tell({ level: 'warn', name: 'clock_differs', message });
    } else if (this.#toldAhead !== 0 && Math.abs(ahead) + error <= HARMLESS_MS) {
      this.#toldAhead = 0;
      const message = "this machine's clock agrees with the store's again";
      this.#tell({ level: 'info', name: 'clock_agrees', message });
    }
  }

  #tell(notice: Notice): void {
    if (!this.#isStopped) this.#parts.observer.noticed(notice);
  }
}

function leadOf(machine: Clock): number {
  return machine.now() - machine.monotonic();
}

function apart(ms: number, [more, less]: readonly [string, string]): string {
  return `${(Math.abs(ms) / 1_000).toFixed(1)} s ${ms > 0 ? more : less}`;
}
