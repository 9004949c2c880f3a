/**
 * `break-store FILE STATEMENT...`: changes a store of SQLite behind everybody's back. A process of
 * its own, because the driver may keep a file open after it was told to close it.
 */
import Libsql from 'libsql';

const [file = '', ...statements] = process.argv.slice(2);
const db = new Libsql(file);
for (const statement of statements) db.exec(statement);
process.exit();
