import type { Connection, ResultSetHeader, RowDataPacket } from 'mysql2/promise';
import { accountOf } from '../instance-name.js';
import {
  type Attempt,
  type InstanceSpec,
  InstanceTaken,
  type MadeInstance,
  type Owner,
} from '../instance.js';

/** The schema in which Backstep keeps its own tables. */
export const OWN_SCHEMA = 'backstep';

const TABLE = `${OWN_SCHEMA}.instances`;
const WRITES =
  'SELECT, INSERT, UPDATE, DELETE, CREATE, DROP, ALTER, INDEX, REFERENCES, ' +
  'CREATE TEMPORARY TABLES, LOCK TABLES, CREATE VIEW, SHOW VIEW, CREATE ROUTINE, ' +
  'ALTER ROUTINE, EXECUTE, EVENT, TRIGGER';
const READS = 'SELECT, SHOW VIEW';

/** Makes the table of instances where it is not there. */
export async function prepareInstances(session: Connection): Promise<void> {
  await session.query(`CREATE TABLE IF NOT EXISTS ${TABLE} (
    instance VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY,
    task_id TEXT NOT NULL,
    run TEXT NOT NULL
  ) ENGINE = InnoDB DEFAULT CHARACTER SET utf8mb4`);
}

/** Makes an instance this owner's. Throws `InstanceTaken` where it is another's, or nobody's. */
export async function claimInstance(
  session: Connection,
  instance: string,
  { taskId, run }: Owner,
): Promise<void> {
  const insert = `INSERT IGNORE INTO ${TABLE} VALUES (?, ?, ?)`;
  const [inserted] = await session.query<ResultSetHeader>(insert, [instance, taskId, run]);
  if (inserted.affectedRows === 0) {
    const owner = await ownerOf(session, instance);
    if (owner?.taskId !== taskId || owner.run !== run) throw new InstanceTaken(instance);
    return;
  }
  if (!(await isThere(session, instance))) return;
  // It was made without Backstep: it must not be changed, nor removed on the way back.
  await session.query(`DELETE FROM ${TABLE} WHERE instance = ?`, [instance]);
  throw new InstanceTaken(instance);
}

/** The owner that made an instance; null: Backstep did not make it. */
export async function ownerOf(session: Connection, instance: string): Promise<Owner | null> {
  const [rows] = await session.query<RowDataPacket[]>(
    `SELECT task_id, run FROM ${TABLE} WHERE instance = ?`,
    [instance],
  );
  const row = rows[0];
  return row === undefined ? null : { taskId: String(row['task_id']), run: String(row['run']) };
}

/** The instances of a task. */
export async function instancesOf(
  session: Connection,
  taskId: string,
): Promise<readonly MadeInstance[]> {
  const [rows] = await session.query<RowDataPacket[]>(
    `SELECT instance, run FROM ${TABLE} WHERE task_id = ? ORDER BY instance`,
    [taskId],
  );
  return rows.map((row) => ({ instance: String(row['instance']), run: String(row['run']) }));
}

/** Schema, user, limits and grants; each statement bears repetition. */
export async function createInstance(
  session: Connection,
  { connections, instance, role }: InstanceSpec,
  { password, signal }: { password: string; signal: Attempt['signal'] },
): Promise<void> {
  const account = accountOf(instance);
  const user = [account, '%'];
  // In a grant, `_` stands for any character.
  const schema = account.replaceAll('_', '\\_');
  const grants = role === 'replica' ? READS : WRITES;
  const statements: readonly (readonly [string, readonly unknown[]])[] = [
    ['CREATE DATABASE IF NOT EXISTS ?? CHARACTER SET utf8mb4', [account]],
    ['CREATE USER IF NOT EXISTS ?@? IDENTIFIED BY ?', [...user, password]],
    [
      'ALTER USER ?@? IDENTIFIED BY ? WITH MAX_USER_CONNECTIONS ?',
      [...user, password, connections],
    ],
    [`GRANT ${grants} ON ??.* TO ?@?`, [schema, ...user]],
  ];
  for (const [sql, values] of statements) {
    signal.throwIfAborted();
    await session.query(sql, [...values]);
  }
}

/** Removes the schema and the user of an instance; it is its owner's still. */
export async function dropInstance(session: Connection, instance: string): Promise<void> {
  const account = accountOf(instance);
  await session.query('DROP USER IF EXISTS ?@?', [account, '%']);
  await session.query('DROP DATABASE IF EXISTS ??', [account]);
}

/** The name is anybody's again. */
export async function releaseInstance(session: Connection, instance: string): Promise<void> {
  await session.query(`DELETE FROM ${TABLE} WHERE instance = ?`, [instance]);
}

async function isThere(session: Connection, instance: string): Promise<boolean> {
  const account = accountOf(instance);
  const [rows] = await session.query<RowDataPacket[]>(
    'SELECT 1 FROM information_schema.schemata WHERE schema_name = ? ' +
      'UNION ALL SELECT 1 FROM mysql.user WHERE user = ?',
    [account, account],
  );
  return rows.length > 0;
}
