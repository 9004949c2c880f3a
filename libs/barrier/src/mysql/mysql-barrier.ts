import type { Connection } from 'mysql2/promise';
import type { JsonObject } from '#core';
import type { Barrier, BarrierContext, Clock, Effect, Undo } from '#ports';
import { judgeForward, judgeRollback } from '../mark.js';
import { BarrierRefusal } from '../refusal.js';
import type { MysqlMarks } from './mysql-marks.js';
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
