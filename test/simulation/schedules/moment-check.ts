import { type ScheduleRecord, WAITING_MAX } from '#ports';
import type { Decided } from './mortal-gateway.js';
import type { StartLog } from './start-log.js';

/** How late a moment may be decided on by a gateway that did not look when it came, if rare. */
const GRACE_MS = 60_000;

/**
 * A second opinion on what became of the moments of schedules, which shares no code with the
 * scheduler: it knows all moments, and looks at every write.
 */
export class MomentCheck {
  /** How often things happened that a year must contain to prove something. */
  readonly seen = new Map<string, number>();

  constructor(
    /** All moments of each schedule, in their order, by its name. */
    private readonly moments: ReadonlyMap<string, readonly number[]>,
    private readonly violate: (what: string) => void,
  ) {}

  /** A write: each moment in it is pending or was skipped, as the rules of the schedule say. */
  lookAt({ before, next, now, since }: Decided): void {
    if (before.starting !== null) return;
    const { name, order } = next;
    const taken = this.takenBy(before, next);
    const pending = pendingOf(next);
    const skipped = next.counts.skipped - before.counts.skipped;
    if (before.waiting.length + taken.length !== pending.length + skipped) {
      this.violate(`${name}: ${taken.length} moments came, ${skipped} were skipped`);
    }
    const missed = this.missedOf(name, taken, Math.min(since, now));
    const room = WAITING_MAX - before.waiting.length;
    const wanted = { none: 0, last: Math.min(1, room), all: room }[order.catchUp];
    const kept = missed.slice(Math.max(0, missed.length - wanted));
    const isOverlap = next.lastSkipped?.reason === 'overlap' && next.lastSkipped.at === now;
    const expected = isOverlap && skipped > 0 ? [] : wanted === 0 ? [] : kept;
    const found = pending.filter((moment) => missed.includes(moment));
    if (found.join() !== expected.join()) {
      const rule = `of ${missed.length} missed ones ${expected.length} are made up for`;
      this.violate(`${name}: ${rule} by ${order.catchUp}, and ${found.length} were`);
    }
    if (missed.length > kept.length || (wanted === 0 && missed.length > 0)) this.see('missed');
    if (expected.length > 0) this.see('made up for');
    if (isOverlap && skipped > 0) this.see('skipped for the task before');
    if (next.waiting.length > 0) this.see('queued');
  }

  /** All that came before a gateway looked, but one that came just now and is not soon repeated. */
  private missedOf(name: string, taken: readonly number[], before: number): readonly number[] {
    const passed = taken.filter((moment) => moment < before);
    const newest = passed.at(-1) ?? -Infinity;
    const next = this.moments.get(name)?.find((moment) => moment > newest) ?? Infinity;
    const isInTime = newest >= before - GRACE_MS && next > newest + GRACE_MS;
    return isInTime ? passed.slice(0, -1) : passed;
  }

  /** At the end: each moment that came has a task, waits, or was skipped. */
  lookAtEnd(record: ScheduleRecord, log: StartLog): void {
    const { counts, name, nextAt, starting } = record;
    const come = (this.moments.get(name) ?? []).filter((moment) => moment < (nextAt ?? Infinity));
    const started = log.momentsOf(name);
    const isMade = starting !== null && started.includes(starting.moment);
    if (started.length !== counts.started + (isMade ? 1 : 0)) {
      this.violate(`${name}: ${counts.started} count as started, and ${started.length} were`);
    }
    const told = counts.started + counts.skipped + pendingOf(record).length;
    if (come.length !== told) this.violate(`${name}: ${come.length} moments came, not ${told}`);
    const known = new Set(come);
    const other = started.find((moment) => !known.has(moment));
    if (other !== undefined) this.violate(`${name}: ${other} is none of its moments`);
  }

  private takenBy({ name, nextAt: from }: ScheduleRecord, { nextAt }: ScheduleRecord) {
    if (from === null || from === nextAt) return [];
    const before = nextAt ?? Infinity;
    return (this.moments.get(name) ?? []).filter((moment) => moment >= from && moment < before);
  }

  private see(what: string): void {
    this.seen.set(what, (this.seen.get(what) ?? 0) + 1);
  }
}

function pendingOf({ starting, waiting }: ScheduleRecord): readonly number[] {
  return starting === null ? waiting : [starting.moment, ...waiting];
}
