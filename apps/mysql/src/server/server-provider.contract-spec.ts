import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { FakeEntropy, SystemClock } from '#testing';
import { describeWith } from '../../../../test/servers/describe-with.js';
import { type MariadbServer, present, startMariadb } from '../../../../test/servers/index.js';
import { accountOf } from '../instance-name.js';
import { attemptAt, providerContract, specNamed } from '../provider-suite-spec.js';
import { FileCredentials } from './file-credentials.js';
import { openServer } from './server-provider.js';

const clock = new SystemClock();

describeWith('instances on MariaDB', { servers: ['mariadb'] }, () => {
  let server: MariadbServer;

  beforeAll(async () => {
    server = present(await startMariadb());
  }, 120_000);

  afterAll(async () => {
    await server?.stop();
  });

  const ask = (sql: string, values: string[] = [], uri = server.url) =>
    askServer({ sql, values, uri });

  const newPlace = () => placeOn(server.url);

  providerContract('server', newPlace);

  describe('an instance on a server', () => {
    it('lets its user in with its password, and nowhere else', async () => {
      const place = await newPlace();
      const provider = await place.open();
      await provider.init(attemptAt(1), specNamed('a_b'));
      await provider.init(attemptAt(1, { run: 'other' }), specNamed('axb'));
      const login = await place.loginOf('a_b');
      await ask('CREATE TABLE t (n INT)', [], login);
      await expect(ask('SELECT * FROM bks_axb.t', [], login)).rejects.toThrow(/denied/);
      await expect(ask('SELECT * FROM backstep.instances', [], login)).rejects.toThrow(/denied/);
      expect(statSync(place.fileOf('a_b')).mode & 0o777).toBe(0o600);
      await provider.close();
      await place.remove();
    });

    it('has the limits of its specification, and a replica only reads', async () => {
      const place = await newPlace();
      const provider = await place.open();
      await provider.init(attemptAt(1), specNamed('db-1', { connections: 7, role: 'replica' }));
      const sql = 'SELECT max_user_connections AS n FROM mysql.user WHERE user = ?';
      expect(Number((await ask(sql, ['bks_db-1']))[0]?.['n'])).toBe(7);
      const login = await place.loginOf('db-1');
      await expect(ask('CREATE TABLE t (n INT)', [], login)).rejects.toThrow(/denied/);
      await provider.close();
      await place.remove();
    });

    it('is not made where somebody made a schema of that name without Backstep', async () => {
      const place = await newPlace();
      const provider = await place.open();
      await ask('CREATE DATABASE `bks_db-1`');
      await expect(provider.init(attemptAt(1), specNamed('db-1'))).rejects.toMatchObject({
        name: 'InstanceTaken',
      });
      await provider.undoInit(attemptAt(2));
      expect(await place.exists('db-1')).toBe(true);
      await provider.close();
      await place.remove();
    });

    it('is made and removed by a user with the rights of the shipped containers', async () => {
      await ask("CREATE USER 'backstep'@'%' IDENTIFIED BY 'a password'");
      for (const grant of readFileSync('docker/mariadb-grants.sql', 'utf8').split(/;$/m)) {
        if (grant.trim() !== '') await ask(grant);
      }
      const url = new URL(server.url);
      [url.username, url.password] = ['backstep', 'a password'];
      const place = await placeOn(server.url, url.href);
      const provider = await place.open();
      await provider.init(attemptAt(1), specNamed('db-1', { connections: 7 }));
      expect(await ask('SELECT 1', [], await place.loginOf('db-1'))).toHaveLength(1);
      await provider.undoInit(attemptAt(1));
      expect(await place.exists('db-1')).toBe(false);
      for (const attack of [
        'SHUTDOWN',
        `UPDATE mysql.global_priv SET priv = '{}' WHERE User = 'backstep'`,
        'SELECT Host, User, authentication_string FROM mysql.user',
        'SELECT * FROM mysql.global_priv',
        "SET PASSWORD FOR 'root'@'127.0.0.1' = PASSWORD('x')",
        "GRANT SELECT ON *.* TO 'backstep'@'%'",
        "GRANT CREATE USER ON *.* TO 'backstep'@'%' WITH GRANT OPTION",
        "GRANT SELECT ON `other`.* TO 'backstep'@'%'",
        "GRANT SELECT ON `bksx%`.* TO 'backstep'@'%'",
        "GRANT SELECT ON `bks\\_x`.* TO 'root'@'127.0.0.1' IDENTIFIED BY 'x'",
        'CREATE DATABASE other',
        'CREATE DATABASE bksx',
        'SELECT COUNT(*) FROM mysql.db',
        "SELECT 1 INTO OUTFILE '/tmp/backstep-outfile'",
        'CREATE FUNCTION get_root RETURNS STRING SONAME "x.so"',
        'SET GLOBAL general_log = 1',
      ]) {
        expect([attack, await outcomeOf(ask(attack, [], url.href))]).toEqual([
          attack,
          expect.stringMatching(/denied|privilege|not allowed/i),
        ]);
      }
      await provider.close();
      await place.remove();
      await ask("DROP USER 'backstep'@'%'");
    });

    it('cannot be made where the server lets nobody in, and no password is told', async () => {
      const url = server.url.replace(/:[^:@/]+@/, ':wrong-secret@');
      const credentials = new FileCredentials(tmpdir(), new FakeEntropy());
      const opened = openServer({ clock, credentials, url });
      await expect(opened).rejects.toThrow(/^the MySQL server at .* cannot be used: (?!.*secret)/);
    });
  });
});

/** The message of its error; null: it went well. */
function outcomeOf(work: Promise<unknown>): Promise<string | null> {
  return work.then(
    () => null,
    (error: Error) => error.message,
  );
}

async function askServer(given: { sql: string; values: string[]; uri: string }) {
  const session = await createConnection({ uri: given.uri });
  try {
    const [rows] = await session.query<RowDataPacket[]>(given.sql, given.values);
    return rows;
  } finally {
    await session.end();
  }
}

/** `url` is what the provider uses where it is not the administrator. */
async function placeOn(uri: string, url = uri) {
  const dataFolder = mkdtempSync(path.join(tmpdir(), 'backstep-server-'));
  const entropy = new FakeEntropy();
  const ask = (sql: string, values: string[] = []) => askServer({ sql, values, uri });
  const fileOf = (instance: string) => path.join(dataFolder, 'instances', instance, 'my.cnf');
  const passwordOf = (instance: string) => {
    const text = readFileSync(fileOf(instance), 'utf8');
    return Promise.resolve(/^password = (.*)$/m.exec(text)?.[1] ?? '');
  };
  return {
    open: () => {
      const credentials = new FileCredentials(path.join(dataFolder, 'instances'), entropy);
      return openServer({ clock, credentials, url });
    },
    exists: async (instance: string) => {
      const sql =
        'SELECT 1 FROM information_schema.schemata WHERE schema_name = ? ' +
        'UNION ALL SELECT 1 FROM mysql.user WHERE user = ?';
      const account = accountOf(instance);
      const rows = await ask(sql, [account, account]);
      return rows.length > 0 || existsSync(fileOf(instance));
    },
    fileOf,
    loginOf: async (instance: string) => {
      const url = new URL(uri);
      [url.username, url.password] = [accountOf(instance), await passwordOf(instance)];
      url.pathname = `/${accountOf(instance)}`;
      return url.href;
    },
    passwordOf,
    remove: async () => {
      for (const name of ['db-1', 'a_b', 'axb'].map(accountOf)) {
        await ask('DROP DATABASE IF EXISTS ??', [name]);
        await ask('DROP USER IF EXISTS ?', [name]);
      }
      await ask('DROP DATABASE backstep');
      rmSync(dataFolder, { recursive: true });
    },
  };
}
