import type { JsonObject } from '#core';
import type { Barrier, BarrierContext, Effect, TaskMarks, Undo } from '#ports';
import { judgeForward, judgeRollback, type Mark, type MarkState } from './mark.js';

/** Where intents are kept: one mark per (task, run), changed atomically and durably. */
export interface IntentLog extends TaskMarks {
  /**
   * Reads a mark, lets `decide` say what to store in its place (null: nothing), and returns the
   * mark as it was. An error of `decide` is rethrown, and nothing is stored.
   */
  change(
    context: BarrierContext,
    decide: (mark: Mark | null) => { state: MarkState; output?: JsonObject | null } | null,
  ): Promise<Mark | null>;
}

/**
 * The barrier of effects that no transaction can hold: files, schemas, other services. The intent
 * is stored first, then the effect made, then its completion stored. So effect and undo must bear
 * repetition, and undo runs whenever an intent was stored, whether or not the effect came about.
 *
 * An attempt that was stopped between its intent and its effect cannot be called back from here:
 * the effect itself must fail once a newer attempt or the undo has been there. So prepare the
 * things that the effect needs (a staged folder, a lock, a session) *before* the intent, and let
 * newer attempts and the undo take them away.
 */
export class IntentBarrier implements Barrier<void> {
  constructor(private readonly log: IntentLog) {}

  /**
   * `plan` is stored with the intent: an undo is told it where the effect's output never came in.
   */
  async forward<T extends object = JsonObject>(
    context: BarrierContext,
    effect: Effect<void, T>,
    plan: JsonObject | null = null,
  ): Promise<T | null> {
    let done = false;
    const before = await this.log.change(context, (mark) => {
      done = judgeForward(mark, context) === 'done';
      return done ? null : { state: 'open', output: plan };
    });
    if (done) return (before?.output ?? null) as T | null;
    const output = await effect();
    await this.log.change(context, (mark) => {
      done = judgeForward(mark, context) === 'done';
      return done ? null : { state: 'applied', output: output as JsonObject | null };
    });
    return output;
  }

  async rollback<T extends object = JsonObject>(
    context: BarrierContext,
    undo: Undo<void, T>,
  ): Promise<void> {
    let settled = false;
    const before = await this.log.change(context, (mark) => {
      const todo = judgeRollback(mark, context);
      settled = todo === 'done' || todo === 'bar';
      if (todo === 'done') return null;
      return { state: todo === 'bar' ? 'undone' : 'undoing' };
    });
    if (settled) return;
    await undo(undefined, (before?.output ?? null) as T | null);
    await this.log.change(context, (mark) => {
      return judgeRollback(mark, context) === 'done' ? null : { state: 'undone' };
    });
  }

  oldTasks(before: number): AsyncIterable<readonly string[]> {
    return this.log.oldTasks(before);
  }

  forget(taskIds: readonly string[], before: number): Promise<number> {
    return this.log.forget(taskIds, before);
  }
}
