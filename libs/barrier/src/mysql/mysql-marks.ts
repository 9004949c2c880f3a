import { hash } from 'node:crypto';
import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import type { JsonObject } from '#core';
import { outputText } from '#json';
import type { BarrierContext, TaskMarks } from '#ports';
import {
  type Mark,
  type MarkState,
  OLD_MARKS,
  type OldMark,
  outputOfMark,
  tasksOfMarks,
} from '../mark.js';
import type { MysqlSessions } from './mysql-sessions.js';

/** Where marks are kept: a table of a schema of their own. */
export interface MysqlMarksOptions {
  /** Letters, digits and `_`. */
  readonly schema: string;
}

interface MarkRow extends RowDataPacket {
  readonly token: number;
  readonly state: MarkState;
  readonly output: string | null;
}

type OldRow = OldMark & RowDataPacket;

/** A mark as it is to be stored; an output that is not given stays. */
interface MysqlMarkUpdate {
  readonly state: MarkState;
  readonly now: number;
  readonly output?: JsonObject | null;
}

/** Marks in a table of MySQL or MariaDB. The transaction is the caller's. */
export class MysqlMarks {
  readonly #table: string;

  constructor(private readonly options: MysqlMarksOptions) {
    if (!/^\w+$/.test(options.schema)) throw new Error(`"${options.schema}" is no schema's name`);
    this.#table = `\`${options.schema}\`.barrier`;
  }

  /** Makes the schema and the table where they are not there. */
  async prepare(connection: Connection): Promise<void> {
    await connection.query(`CREATE DATABASE IF NOT EXISTS \`${this.options.schema}\``);
    await connection.query(`CREATE TABLE IF NOT EXISTS ${this.#table} (
      id CHAR(64) CHARACTER SET ascii NOT NULL PRIMARY KEY,
      task_id TEXT NOT NULL,
      run TEXT NOT NULL,
      token BIGINT NOT NULL,
      state VARCHAR(8) CHARACTER SET ascii NOT NULL,
      output MEDIUMTEXT,
      touched_at BIGINT NOT NULL,
      KEY barrier_touched (touched_at)
    ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4`);
  }

  /** The mark of a run, locked until the transaction ends; null where there is none. */
  async lock(connection: Connection, context: BarrierContext): Promise<Mark | null> {
    const sql = `SELECT token, state, output FROM ${this.#table} WHERE id = ? FOR UPDATE`;
    const [rows] = await connection.query<MarkRow[]>(sql, [markId(context)]);
    const row = rows[0];
    if (row === undefined) return null;
    return { token: row.token, state: row.state, output: outputOfMark(row.output) };
  }

  /** Stores a run's mark. Its token never falls. */
  async put(
    connection: Connection,
    context: BarrierContext,
    { now, output, state }: MysqlMarkUpdate,
  ): Promise<void> {
    const { fencingToken, run, taskId } = context;
    const text = output ? outputText(output) : null;
    await connection.query(
      `INSERT INTO ${this.#table} (id, task_id, run, token, state, output, touched_at)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON DUPLICATE KEY UPDATE token = GREATEST(token, VALUES(token)), state = VALUES(state),
          output = COALESCE(VALUES(output), output), touched_at = VALUES(touched_at)`,
      [markId(context), taskId, run, fencingToken, state, text, now],
    );
  }

  /** Makes sure of a mark to lock, whatever it says. */
  async ensure(connection: Connection, context: BarrierContext, now: number): Promise<boolean> {
    const { fencingToken, run, taskId } = context;
    const [result] = await connection.query<ResultSetHeader>(
      `INSERT IGNORE INTO ${this.#table} (id, task_id, run, token, state, touched_at)
        VALUES (?, ?, ?, ?, 'open', ?)`,
      [markId(context), taskId, run, fencingToken, now],
    );
    return result.affectedRows === 1;
  }

  /** Remembers that an attempt with this token was here, whatever the state. */
  async see(connection: Connection, context: BarrierContext, now: number): Promise<void> {
    await this.ensure(connection, context, now);
    await connection.query(`UPDATE ${this.#table} SET token = GREATEST(token, ?) WHERE id = ?`, [
      context.fencingToken,
      markId(context),
    ]);
  }

  /** The marks of the table that sessions reach, by the tasks that they are of. */
  over(sessions: Pick<MysqlSessions, 'use'>): TaskMarks {
    return {
      oldTasks: (before) => this.#oldTasks(sessions, before),
      forget: (taskIds, before) => {
        return sessions.use((session) => this.#forget(session, taskIds, before));
      },
    };
  }

  #oldTasks(
    sessions: Pick<MysqlSessions, 'use'>,
    before: number,
  ): AsyncIterable<readonly string[]> {
    const sql = `SELECT touched_at AS touchedAt, id AS \`key\`, task_id AS taskId FROM ${this.#table}
      WHERE touched_at < ? AND (touched_at > ? OR (touched_at = ? AND id > ?))
      ORDER BY touched_at, id LIMIT ${OLD_MARKS}`;
    return tasksOfMarks(async ({ key, touchedAt }) => {
      const values = [before, touchedAt, touchedAt, key];
      const [rows] = await sessions.use((session) => session.query<OldRow[]>(sql, values));
      return rows;
    });
  }

  /** Old marks alone are looked through: there is no index of tasks. */
  async #forget(session: Connection, taskIds: readonly string[], before: number): Promise<number> {
    if (taskIds.length === 0) return 0;
    const sql = `DELETE FROM ${this.#table} WHERE touched_at < ? AND BINARY task_id IN (?)`;
    const [result] = await session.query<ResultSetHeader>(sql, [before, taskIds]);
    return result.affectedRows;
  }
}

/** Ids of tasks and of runs may be longer than a key, and differ by case alone. */
export function markId({ taskId, run }: BarrierContext): string {
  return hash('sha256', JSON.stringify([taskId, run]), 'hex');
}
