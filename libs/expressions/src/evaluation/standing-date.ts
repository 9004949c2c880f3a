let moment = 0;

/** Takes one moment for the present; all else is as in the machine's own. */
class StandingDate extends Date {
  constructor(...parts: readonly number[]) {
    super(...((parts.length === 0 ? [moment] : parts) as [number]));
  }

  static override now(): number {
    return moment;
  }
}

/**
 * Lets all code of this process, from now on, take this moment for the present one: the library
 * reads the time in places of its own. Milliseconds since 1970.
 */
export function standStillAt(now: number): void {
  moment = now;
  globalThis.Date = StandingDate as DateConstructor;
}
