import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MongoClient } from 'mongodb';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import { FakeEntropy, SystemClock } from '#testing';
import { describeWith } from '../../../../test/servers/describe-with.js';
import {
  type MariadbServer,
  type MongoServer,
  present,
  startMariadb,
  startMongo,
} from '../../../../test/servers/index.js';
import { openCredentials } from '../open-credentials.js';
import { attemptAt, providerContract, specNamed } from '../provider-suite-spec.js';
import { openServer } from './server-provider.js';

const clock = new SystemClock();
const [KEY, NEXT_KEY] = ['11'.repeat(32), '22'.repeat(32)];
const PASSWORD = /^password = (.*)$/m;
let databases = 0;

interface Servers {
  readonly mariadb: MariadbServer;
  readonly mongo: MongoServer;
}

/** Instances on a server, with passwords that every machine finds; each opening is a machine. */
function placeOn({ mariadb, mongo }: Servers) {
  const url = new URL(mongo.url);
  url.pathname = `/credentials_${process.pid}_${(databases += 1)}`;
  const client = new MongoClient(url.href);
  const folders: string[] = [];
  const credentialsWith = (secretKeys: readonly string[] | null) => {
    const dataFolder = mkdtempSync(path.join(tmpdir(), 'backstep-shared-'));
    folders.push(dataFolder);
    const place = { dataFolder, secretKeys, store: { mongodbUrl: url.href } };
    return openCredentials(place, { clock, entropy: new FakeEntropy() });
  };
  const openWith = async (secretKeys: readonly string[] | null) =>
    openServer({ clock, credentials: await credentialsWith(secretKeys), url: mariadb.url });
  const clientFileWith = async (secretKeys: readonly string[] | null, instance: string) => {
    const credentials = await credentialsWith(secretKeys);
    try {
      return await credentials.clientFileOf(instance);
    } finally {
      await credentials.close();
    }
  };
  const stored = () => client.db().collection('mysql_credentials').find().toArray();
  return {
    openWith,
    clientFileWith,
    stored,
    folders,
    open: () => openWith([KEY]),
    exists: async (instance: string) => {
      const sql = 'SELECT 1 FROM information_schema.schemata WHERE schema_name = ?';
      const rows = await ask(mariadb.url, sql, [`bks_${instance}`]);
      const kept = (await stored()).some((document) => document['instance'] === instance);
      return rows.length > 0 || kept;
    },
    passwordOf: async (instance: string) =>
      PASSWORD.exec((await clientFileWith([KEY], instance)) ?? '')?.[1] ?? '',
    remove: async () => {
      await ask(mariadb.url, 'DROP DATABASE IF EXISTS `bks_db-1`');
      await ask(mariadb.url, 'DROP USER IF EXISTS `bks_db-1`');
      await ask(mariadb.url, 'DROP DATABASE IF EXISTS backstep');
      await client.db().dropDatabase();
      await client.close();
      for (const folder of folders) rmSync(folder, { recursive: true });
    },
  };
}

async function ask(uri: string, sql: string, values: string[] = []) {
  const session = await createConnection({ uri });
  try {
    const [rows] = await session.query<RowDataPacket[]>(sql, values);
    return rows;
  } finally {
    await session.end();
  }
}

describeWith('instances of several machines', { servers: ['mariadb', 'mongo'] }, () => {
  let servers: Servers;

  beforeAll(async () => {
    const [mariadb, mongo] = await Promise.all([startMariadb(), startMongo()]);
    servers = { mariadb: present(mariadb), mongo: present(mongo) };
  }, 240_000);

  afterAll(async () => {
    await servers?.mariadb.stop();
    await servers?.mongo.stop();
  });

  providerContract('server with shared credentials', async () => placeOn(servers));

  describe('credentials', () => {
    const rule = (name: string, body: (place: ReturnType<typeof placeOn>) => Promise<void>) =>
      it(name, async () => {
        const place = placeOn(servers);
        try {
          await body(place);
        } finally {
          await place.remove();
        }
      });

    rule('made on one machine let people in from another, and leave no file', async (place) => {
      const provider = await place.open();
      const made = await provider.init(attemptAt(1), specNamed('db-1'));
      await provider.close();
      expect(made.credentials).toBe('backstep mysql credentials db-1');
      const login = new URL(servers.mariadb.url);
      [login.username, login.password] = ['bks_db-1', await place.passwordOf('db-1')];
      login.pathname = '/bks_db-1';
      expect(await ask(login.href, 'SELECT DATABASE() AS name')).toEqual([{ name: 'bks_db-1' }]);
      expect(place.folders.flatMap((folder) => readdirSync(folder))).toEqual([]);
    });

    rule('are sealed with the first key and read with every key', async (place) => {
      const provider = await place.open();
      await provider.init(attemptAt(1), specNamed('db-1'));
      await provider.close();
      const password = await place.passwordOf('db-1');
      expect(JSON.stringify(await place.stored())).not.toContain(password);
      expect(await place.clientFileWith([NEXT_KEY, KEY], 'db-1')).toContain(password);
      await expect(place.clientFileWith([NEXT_KEY], 'db-1')).rejects.toThrow('is not known here');
      await expect(place.clientFileWith(null, 'db-1')).rejects.toThrow('BACKSTEP_SECRET_KEY');
    });

    rule('are read as they are where they were stored without a key', async (place) => {
      const provider = await place.openWith(null);
      await provider.init(attemptAt(1), specNamed('db-1'));
      await provider.close();
      const [document] = await place.stored();
      const clear = await place.clientFileWith(null, 'db-1');
      expect(clear).toContain(`password = ${document?.['password']}\n`);
      expect(await place.clientFileWith([KEY], 'db-1')).toBe(clear);
    });

    rule(
      'are removed on one machine when the instance made on another is undone',
      async (place) => {
        const [one, other] = [await place.open(), await place.open()];
        await one.init(attemptAt(1), specNamed('db-1'));
        await other.undoInit(attemptAt(2));
        expect(await place.stored()).toEqual([]);
        await other.init(attemptAt(1, { taskId: 'task-2' }), specNamed('db-1'));
        await one.clean(attemptAt(1, { taskId: 'task-3', run: 'delete' }), 'db-1');
        expect(await place.stored()).toEqual([]);
        await one.close();
        await other.close();
      },
    );
  });
});
