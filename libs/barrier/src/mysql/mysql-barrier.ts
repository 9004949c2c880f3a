import type { Connection } from 'mysql2/promise';
import type { JsonObject } from '#core';
import type { Barrier, BarrierContext, Clock, Effect, Undo } from '#ports';
import { IntentBarrier, type IntentLog } from '../intent-barrier.js';
import { judgeForward, judgeRollback } from '../mark.js';
import { BarrierRefusal } from '../refusal.js';
import { markId, type MysqlMarks } from './mysql-marks.js';
import type { MysqlSessions } from './mysql-sessions.js';

/** The dependencies of a barrier on MySQL or MariaDB. */
export interface MysqlBarrierParts {
  readonly clock: Clock;
  readonly marks: MysqlMarks;
  readonly sessions: MysqlSessions;
}

/**
 * The barrier of a participant whose effects are rows of InnoDB tables: effect and mark are one
 * transaction, which holds the mark's lock. Effects must not commit: for statements that do so by
 * themselves, such as CREATE DATABASE, there is `MysqlSchemaBarrier`.
 */
export class MysqlBarrier implements Barrier<Connection> {
  constructor(private readonly parts: MysqlBarrierParts) {}

  async forward<T extends object = JsonObject>(
    context: BarrierContext,
    effect: Effect<Connection, T>,
  ): Promise<T | null> {
    const { clock, marks, sessions } = this.parts;
    try {
      return await sessions.transact(async (session) => {
        const isFirst = await marks.ensure(session, context, clock.now());
        const mark = isFirst ? null : await marks.lock(session, context);
        if (judgeForward(mark, context) === 'done') return (mark?.output ?? null) as T | null;
        const output = await effect(session);
        const kept = output as JsonObject | null;
        await marks.put(session, context, { state: 'applied', output: kept, now: clock.now() });
        return output;
      });
    } catch (error) {
      if (!(error instanceof BarrierRefusal)) {
        // The effect is gone with its transaction; its token still counts against older attempts.
        const seen = sessions.use((session) => marks.see(session, context, clock.now()));
        await seen.catch(() => undefined);
      }
      throw error;
    }
  }

  rollback<T extends object = JsonObject>(
    context: BarrierContext,
    undo: Undo<Connection, T>,
  ): Promise<void> {
    const { clock, marks, sessions } = this.parts;
    return sessions.transact(async (session) => {
      const isFirst = await marks.ensure(session, context, clock.now());
      const mark = isFirst ? null : await marks.lock(session, context);
      const todo = judgeRollback(mark, context);
      if (todo === 'done') return;
      await marks.put(session, context, { state: 'undone', now: clock.now() });
      if (todo === 'undo') await undo(session, (mark?.output ?? null) as T | null);
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
}

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
