import type { Connection } from 'mysql2/promise';
import type { JsonObject } from '#core';
import type { Barrier, BarrierContext, Effect, Undo } from '#ports';
import { IntentBarrier, type IntentLog } from '../intent-barrier.js';
import type { MysqlBarrierParts } from './mysql-barrier.js';
import { markId } from './mysql-marks.js';

/**
 * The barrier of effects that no transaction of MySQL or MariaDB can hold: schemas, users, grants.
 * Intent, effect and completion are stored one after the other, by one session that has the step's
 * lock all the while. A statement of an attempt that was stopped can thus not come late: before
 * anybody else gets the lock, its session has ended, and the server with what it was doing for it.
 * Effects and undos bear repetition (IF NOT EXISTS, IF EXISTS).
 */
export class MysqlSchemaBarrier implements Barrier<Connection> {
  constructor(private readonly parts: MysqlBarrierParts) {}

  /** `plan` is told to an undo where the effect's output never came in. */
  forward<T extends object = JsonObject>(
    context: BarrierContext,
    effect: Effect<Connection, T>,
    plan: JsonObject | null = null,
  ): Promise<T | null> {
    return this.#locked(context, (barrier, session) => {
      return barrier.forward(context, () => effect(session), plan);
    });
  }

  rollback<T extends object = JsonObject>(
    context: BarrierContext,
    undo: Undo<Connection, T>,
  ): Promise<void> {
    return this.#locked(context, (barrier, session) => {
      return barrier.rollback<T>(context, (_tx, output) => undo(session, output));
    });
  }

  oldTasks(before: number): AsyncIterable<readonly string[]> {
    const { marks, sessions } = this.parts;
    return marks.over(sessions).oldTasks(before);
  }

  forget(taskIds: readonly string[], before: number): Promise<number> {
    const { marks, sessions } = this.parts;
    return marks.over(sessions).forget(taskIds, before);
  }

  #locked<T>(
    context: BarrierContext,
    work: (barrier: IntentBarrier, session: Connection) => Promise<T>,
  ): Promise<T> {
    const { sessions } = this.parts;
    // Names of locks have at most 64 characters.
    const name = `backstep-${markId(context).slice(0, 48)}`;
    return sessions.withLock(name, (session) => {
      return work(new IntentBarrier(intentsOf(session, this.parts)), session);
    });
  }
}

/** The lock makes reading and writing one: nobody else changes the mark in between. */
function intentsOf(session: Connection, { clock, marks, sessions }: MysqlBarrierParts): IntentLog {
  return {
    change: async (context, decide) => {
      const mark = await marks.lock(session, context);
      const update = decide(mark);
      if (update !== null) await marks.put(session, context, { ...update, now: clock.now() });
      return mark;
    },
    ...marks.over(sessions),
  };
}
