import { NO_STEPS } from '../flow/plan-lists.js';
import { countSteps } from '../flow/program.js';
import { jsonSize } from '../json/json-size.js';
import { type HeldScopes, NOTHING_HELD, withScope } from './held-scopes.js';
import { listMade, type Scope } from './scope.js';

/**
 * The scopes of a document by the steps that hold them. With it the cost of an event does not
 * depend on how many scopes the task has. It follows from the scopes alone and is never stored.
 */
export class ScopeIndex {
  /** Of each step that holds scopes, by its place. */
  private held: (HeldScopes | undefined)[];
  private isOwn: boolean;
  private count = { steps: 0, bytes: 0 };
  private tended: readonly number[] = [];

  private constructor(base: ScopeIndex | null) {
    this.held = base?.held ?? [];
    this.isOwn = base === null;
    if (base === null) return;
    this.count = { ...base.count };
    this.tended = base.tended;
  }

  /** The index of scopes that nothing is known of. */
  static of(scopes: readonly Scope[]): ScopeIndex {
    const index = new ScopeIndex(null);
    for (const scope of scopes.keys()) index.put(scope, undefined, scopes);
    return index;
  }

  /** An index that begins as this one is, and leaves it as it is. */
  branch(): ScopeIndex {
    return new ScopeIndex(this);
  }

  /** The scopes that the step at a place holds. */
  heldBy(holder: number): HeldScopes {
    return this.held[holder] ?? NOTHING_HELD;
  }

  /** How many steps came to be while the task ran, and their bytes as JSON. */
  get made(): { readonly steps: number; readonly bytes: number } {
    return this.count;
  }

  /** Scopes of child tasks that are not all done with, in the order of their blocks. */
  get children(): readonly number[] {
    return this.tended;
  }

  /** A scope is another now, or there is one more. `scopes` has it already. */
  put(scope: number, before: Scope | undefined, scopes: readonly Scope[]): void {
    const next = scopes[scope] as Scope;
    if (!this.isOwn) this.held = this.held.slice();
    this.isOwn = true;
    // Without gaps, or each copy of it would be slow.
    while (this.held.length <= next.holder) this.held.push(undefined);
    const held = withScope(this.heldBy(next.holder), { scope, before, next, scopes });
    this.held[next.holder] = held;
    if (next.kind === 'dynamic') this.countMade(before, next);
    if (next.kind === 'children') this.tend(scope, next);
  }

  private countMade(before: Scope | undefined, next: Scope): void {
    if (before?.values === next.values) return;
    this.add(before, -1);
    this.add(next, 1);
  }

  private add(scope: Scope | undefined, sign: 1 | -1): void {
    const values = scope?.values ?? null;
    this.count.steps += sign * countSteps(listMade(values) ?? NO_STEPS);
    if (values !== null) this.count.bytes += sign * jsonSize(values);
  }

  private tend(scope: number, { round, stage }: Scope): void {
    const isOpen = stage === 'open' && round > 0;
    if (this.tended.includes(scope) === isOpen) return;
    const others = this.tended.filter((other) => other !== scope);
    this.tended = isOpen ? [...others, scope].sort((a, b) => a - b) : others;
  }
}
