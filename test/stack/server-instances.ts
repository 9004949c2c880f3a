import { createConnection, type RowDataPacket } from 'mysql2/promise';

/** Schemas of MariaDB itself, and the one in which Backstep keeps its tables. */
const NO_INSTANCES = ['information_schema', 'mysql', 'performance_schema', 'sys', 'backstep'];
const NO_USERS = ['', 'root', 'mysql', 'mariadb.sys'];

/**
 * Names of the instances on a server: of everything that has a schema, a user or a claim there.
 * Throws where one of them has not all three.
 */
export async function instancesIn(uri: string): Promise<readonly string[]> {
  const session = await createConnection({ uri });
  const bare = (name: string): string => name.replace(/^bks_/, '');
  const read = async (sql: string): Promise<readonly string[]> => {
    const [rows] = await session.query<RowDataPacket[]>(sql);
    return rows.map((row) => bare(String(row['name'])));
  };
  try {
    const schemas = await read('SELECT schema_name AS name FROM information_schema.schemata');
    const users = await read('SELECT user AS name FROM mysql.user');
    const claims = await read('SELECT instance AS name FROM backstep.instances');
    const parts = [
      schemas.filter((name) => !NO_INSTANCES.includes(name)),
      users.filter((name) => !NO_USERS.includes(name)),
      claims,
    ].map((names) => [...new Set(names)].sort());
    const [one] = parts.map((names) => names.join());
    if (parts.some((names) => names.join() !== one)) {
      throw new Error(`schemas, users and claims differ: ${JSON.stringify(parts)}`);
    }
    return claims;
  } finally {
    await session.end();
  }
}
