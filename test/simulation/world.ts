import type { Task } from '#core';
import type { SeededRandom } from '../trial/seeded-random.js';
import type { Mutant } from './mutant.js';
import { type Faults, noFaults, type Scenario } from './scenario.js';
import type { Script } from './script.js';
import { TimeLine } from './time-line.js';

/** A promise of the project that did not hold. */
export interface Violation {
  /** Its name, as in `invariants.ts`. */
  readonly invariant: string;
  readonly message: string;
}

/** The state that everything in one history shares: time, chance, faults, and sightings. */
export class World {
  readonly line = new TimeLine();
  readonly random: SeededRandom;
  readonly violations: Violation[] = [];
  /** How often rare things happened. */
  readonly sightings = new Map<string, number>();
  /** Works of commands and writes that may still have an effect. */
  pending = 0;
  faults: Faults;
  isHealed = false;
  /** Set: what goes wrong is written down, and nothing is drawn. */
  script: Script | null = null;
  /** Kept only for readers. */
  readonly lines: string[] | null;
  private hash = 0x811c9dc5;

  constructor(
    readonly scenario: Scenario,
    readonly mutant: Mutant | null,
    isTold: boolean,
  ) {
    this.random = scenario.random;
    this.faults = scenario.faults;
    this.lines = isTold ? [] : null;
  }

  get now(): number {
    return this.line.now;
  }

  /** The sum of everything that was told; the same for the same seed. */
  get traceHash(): string {
    return (this.hash >>> 0).toString(16).padStart(8, '0');
  }

  /** Whether a fault happens here and now: as the script says, or drawn. */
  strikes(fault: keyof Faults): boolean {
    if (this.script !== null) return this.script.strikes(fault);
    const likelihood = this.faults[fault];
    // Where a fault is off its chance is not drawn: histories cost less.
    return likelihood > 0 && this.random.next() < likelihood;
  }

  /** Something happened: it becomes part of the trace. */
  tell(text: string): void {
    let { hash } = this;
    hash = Math.imul(hash ^ this.line.now, 0x01000193);
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    this.hash = hash;
    this.lines?.push(`${String(this.line.now % 10_000_000).padStart(7)} ${text}`);
  }

  /** Something rare happened that the histories must contain now and then. */
  see(name: string): void {
    this.sightings.set(name, (this.sightings.get(name) ?? 0) + 1);
  }

  violate(invariant: string, message: string): void {
    this.tell(`VIOLATION ${invariant}: ${message}`);
    this.violations.push({ invariant, message });
  }

  /** From now on nothing goes wrong. */
  heal(): void {
    this.tell('healed');
    this.faults = noFaults();
    this.isHealed = true;
  }
}

/** A task as a line of a trace. */
export function lineOf(task: Task): string {
  const { alert, plan, revision, runs, status, token, wakeAt } = task;
  const states = runs.map(({ normal, rollback }) => `${normal.state}/${rollback?.state ?? '-'}`);
  const wake = wakeAt === null ? 'never' : wakeAt % 10_000_000;
  const tail = alert === null ? '' : ` alert ${alert.number}`;
  const id = plan.taskId;
  return `${id} r${revision} status ${status} t${token} [${states.join(' ')}]${tail} wake ${wake}`;
}
