import type { Action, Scope, Task } from '#core';
import { placeOf, scopeAt, TASK } from '#core/scopes';

/** A change that a command has made outside, and that nothing has undone. */
export interface Effect {
  readonly run: string;
  readonly module: string;
  readonly command: string;
  /** Half of it: the command stopped in the middle. */
  readonly isPartial: boolean;
  /** It should be undone: its attempt did not succeed, or a scope around it goes back. */
  readonly isUnwanted: boolean;
}

/** How far an effect or its undoing came. */
export interface Extent {
  readonly isPartial: boolean;
  /** Whether its attempt succeeds. */
  readonly succeeds: boolean;
}

/** The changes that the doubles of executors would have made outside. */
export class Effects {
  readonly #standing = new Map<string, Effect>();

  /** A command had its effect, or a part of it. */
  apply(run: string, { command, module }: Action, { isPartial, succeeds }: Extent): void {
    this.#standing.set(run, { run, module, command, isPartial, isUnwanted: !succeeds });
  }

  /** Its rollback had its effect; half of an undo leaves a part. */
  undo(run: string, { isPartial }: Extent): void {
    const effect = this.#standing.get(run);
    if (effect === undefined) return;
    if (isPartial) this.#standing.set(run, { ...effect, isPartial });
    else this.#standing.delete(run);
  }

  /**
   * The task has moved: effects in scopes that go back should be undone. They are noted each time,
   * because a scope that has nothing left to undo lends its places to the next.
   */
  follow(task: Task): void {
    if (task.scopes.length === 0) return;
    for (const effect of this.#standing.values()) {
      const place = effect.isUnwanted ? null : placeOf(task, effect.run);
      if (place === null || !goesBack(task, place)) continue;
      this.#standing.set(effect.run, { ...effect, isUnwanted: true });
    }
  }

  /** Everything that stands, in the order in which it came about. */
  standing(): readonly Effect[] {
    return [...this.#standing.values()];
  }
}

function goesBack(task: Task, place: number): boolean {
  let at = scopeAt(task, place);
  while (at !== TASK) {
    const scope = task.scopes[at] as Scope;
    if (scope.way === 'back') return true;
    at = scopeAt(task, scope.holder);
  }
  return false;
}
