import { hash } from 'node:crypto';
import { DocumentFault, readStoredJson, readList } from '#core/json';
import { PLAN, rowsOf } from '#core/stored';
import type { StepPlan, TaskPlan } from '#core';

const PLANS = rowsOf(PLAN);

/** JSON text of a plan without its steps. */
export function encodePlan(plan: TaskPlan): string {
  return PLANS.write(plan, 0);
}

/** The plan that a text and its steps stand for. Throws `DocumentFault` where it is no list. */
export function decodePlan(text: string, steps: readonly StepPlan[]): TaskPlan {
  const row = readList(readStoredJson(text, 'its plan') as readonly unknown[], 'its plan');
  return { ...PLANS.read(row, 0), steps };
}

/** The steps of one flow version: written once, however many tasks have them. */
interface KnownSteps {
  readonly key: string;
  readonly text: string;
}

/**
 * The step plans that this process has met. A flow version's steps are one object for all of its
 * tasks, so they are known by identity and turned into text once; what is read back becomes the
 * same object again.
 */
export class StepShelf {
  readonly #bySteps = new WeakMap<readonly StepPlan[], KnownSteps>();
  readonly #byKey = new Map<string, readonly StepPlan[]>();
  /** Keys without anything stored that could be read. */
  readonly #lost = new Set<string>();

  /** Key and text of steps. */
  describe(steps: readonly StepPlan[]): KnownSteps {
    const known = this.#bySteps.get(steps);
    if (known !== undefined) return known;
    const text = JSON.stringify(steps);
    const key = hash('sha256', text, 'base64url').slice(0, 22);
    const described = { key, text };
    this.#bySteps.set(steps, described);
    return described;
  }

  /** Whether steps of this key are stored for certain. */
  has(key: string): boolean {
    return this.#byKey.has(key);
  }

  /** Whether it has been found out what is stored under the key. */
  knows(key: string): boolean {
    return this.#byKey.has(key) || this.#lost.has(key);
  }

  /** Notes that these steps are stored. */
  add(key: string, steps: readonly StepPlan[]): void {
    if (!this.#byKey.has(key)) this.#byKey.set(key, steps);
    this.#lost.delete(key);
  }

  /** Notes what is stored under a key; null: nothing. */
  read(key: string, text: string | null): void {
    try {
      const steps = readStoredJson(text, 'its steps') as readonly StepPlan[];
      this.add(key, readList(steps, 'its steps'));
    } catch {
      this.#lost.add(key);
    }
  }

  /** The steps with this key. Throws `DocumentFault` where they could not be read. */
  get(key: string): readonly StepPlan[] {
    const steps = this.#byKey.get(key);
    if (steps === undefined) throw new DocumentFault('its steps are not JSON, or missing');
    return steps;
  }
}
