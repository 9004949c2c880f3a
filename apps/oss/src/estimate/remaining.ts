import { isActive, type StepPlan, type StepRuns, type Task } from '#core';
import { graphOf, innerLists } from '#core/flow';
import type { PlannedUndo } from '#core/read';
import { outermostPlace } from '#core/scopes';
import { readyBackTimes, readyTimes, type StepTimes } from './step-times.js';

/** Past tasks below which nothing is said. */
export const PAST_MIN = 3;

/**
 * A wait that the figures do not count. `approval`, `signal`: for a person or system outside.
 * `time`: for a moment that is not known so far. `late`: the step already takes longer than it ever
 * did. `paused`, `hold`: a person lets the task go on. `children`: child tasks of the step do not
 * move.
 */
export type Uncounted = 'approval' | 'signal' | 'time' | 'late' | 'paused' | 'hold' | 'children';

/** How long what is left of a task takes. */
export interface Remaining {
  /** Half of the past tasks took no longer, in milliseconds; null: that is not known. */
  readonly p50Ms: number | null;
  /** 95 of 100 took no longer, in milliseconds; null: that is not known. */
  readonly p95Ms: number | null;
  /** The number of past tasks that the figures are from. */
  readonly tasks: number;
  /** The one version of the flow that these ran; null: several. */
  readonly flowVersion: number | null;
  /** Steps of which no past task tells how long they take. */
  readonly unknown: readonly string[];
  /** The waits that come on top; `step` is null where it is about the task. */
  readonly uncounted: readonly { readonly step: string | null; readonly why: Uncounted }[];
}

/** Past tasks of a flow. */
export interface Past {
  /** The one version that they ran; null: several. */
  readonly flowVersion: number | null;
  readonly tasks: readonly StepTimes[];
}

/** A task at a moment, and what is known of others like it. */
interface Prospect {
  readonly task: Task;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly past: Past;
}

/** How long a task takes to the end of its way forward, if nothing fails. */
export function remainingForward({ now, past, task }: Prospect): Remaining {
  const sum = new Sum(past);
  sum.hold(task);
  const { steps } = task.plan;
  const ready = readyTimes(task);
  const goesOn = Math.max(task.resetAt ?? 0, lastAction(task));
  const { order } = graphOf(steps);
  for (const place of order) {
    const step = steps[place];
    const runs = task.runs[place];
    if (step === undefined || runs === undefined) continue;
    const elapsed = now - Math.max(ready[place] ?? now, goesOn);
    sum.add(place, { after: step.needs, left: sum.forward(step, runs, { elapsed, now }) });
  }
  return sum.result();
}

/** How long it takes to undo all of this, if nothing fails. */
export function remainingBack(prospect: Prospect, undos: readonly PlannedUndo[]): Remaining {
  const { now, past, task } = prospect;
  const sum = new Sum(past);
  // A task that goes forward is let go back by the very action that is asked about.
  if (task.way === 'back') sum.hold(task);
  const { steps } = task.plan;
  const ready = readyBackTimes(task);
  const open = new Set(undos.map(({ place }) => outermostPlace(task, place)));
  const { dependents, order } = graphOf(steps);
  for (const place of order.toReversed()) {
    const run = task.runs[place]?.rollback ?? null;
    const isUnderWay = task.way === 'back' && run !== null && isActive(run);
    const elapsed = isUnderWay ? now - Math.max(ready[place] ?? now, lastAction(task)) : null;
    const name = steps[place]?.name ?? '';
    const left = open.has(place) ? sum.known('back', { name, elapsed }) : null;
    sum.add(place, { after: dependents[place] ?? [], left });
  }
  return sum.result();
}

/** When a person last had the task do something, milliseconds since 1970. */
function lastAction({ doneActions }: Task): number {
  return doneActions.at(-1)?.at ?? 0;
}

/** Milliseconds that a step has left, one figure for each past task; null: none. */
type Left = readonly number[] | null;

/** The longest way through what is left, once for each past task. */
class Sum {
  private readonly ends = new Map<number, Left>();
  private readonly unknown: string[] = [];
  private readonly uncounted: { step: string | null; why: Uncounted }[] = [];
  private usesPast = false;

  constructor(private readonly past: Past) {}

  /** Notes that a person has stopped the task. */
  hold({ hold, paused }: Task): void {
    if (hold !== null) this.uncounted.push({ step: null, why: 'hold' });
    else if (paused !== null) this.uncounted.push({ step: null, why: 'paused' });
  }

  /** Adds a step that comes after others, which were added before. */
  add(place: number, { after, left }: { after: readonly number[]; left: Left }): void {
    let start: Left = null;
    for (const other of after) start = longer(start, this.ends.get(other) ?? null);
    this.ends.set(place, start === null || left === null ? (start ?? left) : plus(start, left));
  }

  /** The rest of a step on the way forward. */
  forward(
    step: StepPlan,
    { normal }: StepRuns,
    { elapsed, now }: { readonly elapsed: number; readonly now: number },
  ): Left {
    const { name, wait } = step;
    if (normal.state === 'succeeded' || normal.state === 'skipped') return null;
    const person = asksFor(step);
    if (person !== null) return this.leaveOut(name, person);
    if (wait !== undefined && normal.state === 'waiting' && normal.dueAt !== null) {
      return this.fixed(Math.max(0, normal.dueAt - now));
    }
    if (wait !== undefined && 'for' in wait && typeof wait.for === 'number') {
      return this.fixed(wait.for);
    }
    if (wait !== undefined && 'until' in wait) return this.leaveOut(name, 'time');
    return this.known('forward', { name, elapsed: isActive(normal) ? elapsed : null });
  }

  /** The lengths that past tasks tell of a step; `elapsed`: for so long it has been under way. */
  known(
    way: 'forward' | 'back',
    { elapsed, name }: { readonly name: string; readonly elapsed: number | null },
  ): Left {
    this.usesPast = true;
    const own = this.past.tasks.map((times) => times[way].get(name) ?? null);
    const known = own.filter((ms) => ms !== null);
    if (known.length === 0) {
      this.unknown.push(name);
      return null;
    }
    if (elapsed === null) return own.map((ms, n) => ms ?? at(known, n));
    // One that has taken long already is compared with those alone that took longer.
    const longer = known.filter((ms) => ms > elapsed);
    if (longer.length === 0) return this.leaveOut(name, 'late');
    return own.map((ms, n) => (ms !== null && ms > elapsed ? ms : at(longer, n)) - elapsed);
  }

  result(): Remaining {
    const { flowVersion, tasks } = this.past;
    let total: Left = null;
    for (const left of this.ends.values()) total = longer(total, left);
    const sorted = (total ?? this.fixed(0)).toSorted((a, b) => a - b);
    const isKnown = !this.usesPast || (this.unknown.length === 0 && tasks.length >= PAST_MIN);
    return {
      p50Ms: isKnown ? quantile(sorted, 0.5) : null,
      p95Ms: isKnown ? quantile(sorted, 0.95) : null,
      tasks: tasks.length,
      flowVersion,
      unknown: this.unknown,
      uncounted: this.uncounted,
    };
  }

  private leaveOut(step: string, why: Uncounted): null {
    this.uncounted.push({ step, why });
    return null;
  }

  private fixed(ms: number): readonly number[] {
    return Array.from({ length: Math.max(1, this.past.tasks.length) }, () => ms);
  }
}

/** Whether a step, or one in it, waits for a person or system outside. */
function asksFor(step: StepPlan): 'approval' | 'signal' | null {
  if (step.approve !== undefined) return 'approval';
  if (step.wait !== undefined && 'signal' in step.wait) return 'signal';
  for (const inner of innerLists(step).flat()) {
    const found = asksFor(inner);
    if (found !== null) return found;
  }
  return null;
}

/** Past tasks that tell nothing of a step are filled in with others in turn. */
function at(known: readonly number[], n: number): number {
  return known[n % known.length] ?? 0;
}

function plus(one: readonly number[], other: readonly number[]): readonly number[] {
  return one.map((ms, n) => ms + (other[n] ?? 0));
}

function longer(one: Left, other: Left): Left {
  if (one === null || other === null) return one ?? other;
  return one.map((ms, n) => Math.max(ms, other[n] ?? 0));
}

/** The smallest figure that so large a part of them all does not exceed. */
export function quantile(sorted: readonly number[], part: number): number {
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}
