import type { Clock } from '#ports';

/** The signals that ask a process to stop. */
export type StopSignal = 'SIGINT' | 'SIGTERM';

/** The reactions of a process to stop signals. */
export interface StopListener {
  /** The first signal. */
  stop(this: void, signal: StopSignal): void;
  /** A further one: the sender does not want to wait. */
  again(this: void, signal: StopSignal): void;
}

/** Where signals come from: `process`, or a stand-in for it. */
export interface SignalSource {
  on(signal: StopSignal, hear: (signal: StopSignal) => void): unknown;
}

/**
 * One stop may arrive more than once: a terminal and a supervisor signal the whole group, and npm
 * forwards what it gets. The same signal within this time is the same stop, in milliseconds.
 */
const ECHO_MS = 1_000;

/** Tells a process once that it is to stop, and once more for each further request. */
export function hearStopSignals(
  source: SignalSource,
  clock: Pick<Clock, 'monotonic'>,
  { again, stop }: StopListener,
): void {
  let first: { readonly signal: StopSignal; readonly at: number } | null = null;
  const hear = (signal: StopSignal): void => {
    const now = clock.monotonic();
    if (first === null) {
      first = { signal, at: now };
      stop(signal);
    } else if (signal !== first.signal || now - first.at >= ECHO_MS) {
      again(signal);
    }
  };
  source.on('SIGTERM', hear);
  source.on('SIGINT', hear);
}
