import { GRACE_MS } from './plan-moments.js';

/**
 * Since when a gateway has been looking at schedules. One that stood still, as on a machine that
 * slept, begins again; one whose store did not answer was there all the same.
 */
export class Presence {
  private began = 0;
  private lookedAt: number | null = null;

  /** Milliseconds since 1970. */
  get since(): number {
    return this.began;
  }

  /** A look begins. */
  look(now: number): void {
    const isNew = this.lookedAt === null || Math.abs(now - this.lookedAt) > GRACE_MS;
    if (isNew) this.began = now;
    this.lookedAt = now;
  }
}
