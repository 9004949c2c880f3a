import type Database from 'libsql';

/**
 * Runs the scripts that this file has not seen. Several processes may open a new file at once: the
 * version is read inside the transaction that raises it.
 */
export function migrate(db: Database.Database, migrations: readonly string[]): void {
  if (versionOf(db) === migrations.length) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    const version = versionOf(db);
    if (version > migrations.length) {
      throw new Error(`the file has version ${version}; this program knows ${migrations.length}`);
    }
    for (const script of migrations.slice(version)) db.exec(script);
    db.exec(`PRAGMA user_version = ${migrations.length}`);
    db.exec('COMMIT');
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK');
    throw error;
  }
}

function versionOf(db: Database.Database): number {
  const row = db.prepare('PRAGMA user_version').get() as { user_version: number };
  return row.user_version;
}
