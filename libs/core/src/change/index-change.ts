import { STRETCH, sumUp } from '../scopes/task-index.js';
import { jsonSize } from '../json/json-size.js';
import type { JsonObject } from '../json/json.js';
import type { StepRuns } from '../task/action-run.js';
import { ScopeIndex } from '../task/scope-index.js';
import type { Scope } from '../task/scope.js';
import type { Lookups, ScopeTally, TaskIndex } from '../task/task-index.js';

/** The index of a task on its way to its next document: it follows each run and scope. */
export class IndexChange {
  /** Bytes that the document before held; null: nobody has asked for them so far. */
  contentBytes: number | null;
  lookups: Lookups;
  /** Stretches with a new run, each once or more often. */
  private touched: number[] | null = null;
  /** Bytes of what was given in this change, by identity. */
  private sizes: Map<JsonObject, number> | null = null;
  private hasOwnScopes = false;

  constructor(private readonly base: TaskIndex) {
    this.contentBytes = base.contentBytes;
    this.lookups = base.lookups;
  }

  /** The runs and scopes that the change now has: at least one of them is a copy of its own. */
  branch(runs: readonly StepRuns[], scopes: readonly Scope[]): void {
    if (this.lookups === this.base.lookups) this.lookups = this.lookups.branch(runs, scopes);
    else this.lookups.rebase(runs, scopes);
  }

  /** Puts a scope into a copy, in its place, the last one or one that is there. */
  putScope(own: Scope[], scope: number, next: Scope): void {
    const { lookups } = this;
    if (!this.hasOwnScopes) lookups.held = (lookups.held ?? ScopeIndex.of(own)).branch();
    this.hasOwnScopes = true;
    const before = own[scope];
    own[scope] = next;
    lookups.held?.put(scope, before, own);
  }

  /** A run of the step is another object now. */
  touch(step: number): void {
    const stretch = Math.floor(step / STRETCH);
    if (this.touched === null) this.touched = [stretch];
    else if (this.touched.at(-1) !== stretch) this.touched.push(stretch);
  }

  /** Places at which something may be queued, running or waiting by now. */
  placesOpen({ length }: readonly StepRuns[]): number[] {
    const touched = new Set(this.touched);
    const places: number[] = [];
    for (let n = 0; n * STRETCH < length; n += 1) {
      if (this.base.stretches[n]?.isOpen !== true && !touched.has(n)) continue;
      const end = Math.min((n + 1) * STRETCH, length);
      for (let place = n * STRETCH; place < end; place += 1) places.push(place);
    }
    return places;
  }

  /** Bytes of a value as JSON; counted once in a change. */
  sizeOf(content: JsonObject): number {
    this.sizes ??= new Map();
    let size = this.sizes.get(content);
    if (size === undefined) {
      size = jsonSize(content);
      this.sizes.set(content, size);
    }
    return size;
  }

  /** How many bytes these runs hold more than those of the document before. */
  grownBy(runs: readonly StepRuns[]): number {
    let sum = 0;
    for (const n of new Set(this.touched)) {
      const end = Math.min((n + 1) * STRETCH, runs.length);
      for (let place = n * STRETCH; place < end; place += 1) {
        const [old, both] = [this.base.runs[place], runs[place]];
        if (old === both) continue;
        sum += this.growth(old?.normal.output, both?.normal.output);
        sum += this.growth(old?.normal.values, both?.normal.values);
        sum += this.growth(old?.rollback?.values, both?.rollback?.values);
      }
    }
    return sum;
  }

  private growth(old: JsonObject | null | undefined, next: JsonObject | null | undefined): number {
    if (old === next) return 0;
    return (next ? this.sizeOf(next) : 0) - (old ? this.sizeOf(old) : 0);
  }

  /** The index of the next document: stretches that were touched are summed up again. */
  finish(
    runs: readonly StepRuns[],
    { left, scopes, settled }: ScopeTally & Pick<TaskIndex, 'scopes'>,
  ): TaskIndex {
    let { stretches } = this.base;
    if (this.touched !== null) {
      const summed = stretches.slice();
      for (const n of this.touched) summed[n] = sumUp(runs, n * STRETCH);
      stretches = summed;
    }
    const { contentBytes: before, lookups } = this;
    const contentBytes = before === null ? null : before + this.grownBy(runs);
    return { runs, stretches, left, contentBytes, settled, scopes, lookups };
  }
}
