import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { connect } from 'amqplib';
import type { ChannelModel } from 'amqplib';
import { MongoClient } from 'mongodb';
import type { Collection } from 'mongodb';
import { createConnection } from 'mysql2/promise';
import type { RowDataPacket } from 'mysql2/promise';
import { describeWith } from './describe-with.js';
import { TAKEN_PORTS } from './free-ports.js';
import { URL_VARIABLES, askRedis, present } from './index.js';
import { startMariadb, startMongo, startRabbitmq, startRedis } from './index.js';
import type { MariadbServer, MongoServer, RabbitmqServer, RedisServer } from './index.js';
import { acceptsConnections, waitUntil } from './wait-until.js';

const DEADLINE_MS = 120_000;
const COUNT = 200;
const QUORUM = { durable: true, arguments: { 'x-queue-type': 'quorum' } };

type Items = Collection<{ _id: number }>;

jest.setTimeout(DEADLINE_MS);

describeWith('a RabbitMQ of its own', { servers: ['rabbitmq'], own: true }, () => {
  let server: RabbitmqServer;

  beforeAll(async () => {
    server = present(await startRabbitmq({ own: true, settings: ['consumer_timeout = 61000'] }));
  });
  afterAll(() => server?.stop());

  async function withConnection<T>(use: (connection: ChannelModel) => Promise<T>): Promise<T> {
    const connection = await connect(server.amqpUrl);
    // A kill is seen here as an error.
    connection.on('error', () => undefined);
    try {
      return await use(connection);
    } finally {
      await connection.close().catch(() => undefined);
    }
  }

  function publish(count: number): Promise<void> {
    return withConnection(async (connection) => {
      const channel = await connection.createConfirmChannel();
      await channel.assertQueue('kept', QUORUM);
      for (let n = 0; n < count; n += 1) {
        channel.sendToQueue('kept', Buffer.from(String(n)), { persistent: true });
      }
      await channel.waitForConfirms();
    });
  }

  function drain(): Promise<string[]> {
    return withConnection(async (connection) => {
      const channel = await connection.createChannel();
      const bodies: string[] = [];
      for (let message = await channel.get('kept'); message; message = await channel.get('kept')) {
        bodies.push(message.content.toString());
        channel.ack(message);
      }
      return bodies;
    });
  }

  it('keeps confirmed messages of a quorum queue when it is killed', async () => {
    await publish(COUNT);
    await server.settle();
    await server.kill();
    await expect(acceptsConnections(Number(new URL(server.url).port))).rejects.toThrow();
    await server.restart();
    expect(await drain()).toEqual(Array.from({ length: COUNT }, (_, n) => String(n)));
  });

  it('has no queue after a wipe, on the same port', async () => {
    await publish(1);
    const { url } = server;
    await server.wipe();
    expect(server.url).toBe(url);
    expect(await server.ctl('list_queues', 'name')).not.toContain('kept');
  });

  it('obeys rabbitmqctl', async () => {
    await server.ctl('add_vhost', 'more');
    expect(await server.ctl('list_vhosts')).toContain('more');
    await expect(server.ctl('no_such_command')).rejects.toThrow();
  });

  it('takes settings', async () => {
    const value = await server.ctl('eval', 'application:get_env(rabbit, consumer_timeout).');
    expect(value.trim()).toBe('{ok,61000}');
  });

  it('runs beside another', async () => {
    const other = present(await startRabbitmq({ own: true }));
    try {
      await other.ctl('add_vhost', 'other');
      expect(await server.ctl('list_vhosts')).not.toContain('other');
    } finally {
      await other.stop();
    }
    expect(await server.ctl('list_vhosts')).toContain('/');
  });
});

describeWith('a MongoDB of its own', { servers: ['mongo'], own: true }, () => {
  let server: MongoServer;

  beforeAll(async () => {
    server = present(await startMongo({ own: true }));
  });
  afterAll(() => server?.stop());

  async function withItems<T>(use: (items: Items, client: MongoClient) => Promise<T>): Promise<T> {
    const client = new MongoClient(server.url);
    try {
      return await use(client.db('servers').collection('items'), client);
    } finally {
      await client.close();
    }
  }

  it('keeps acknowledged writes when it is killed', async () => {
    await withItems(async (items) => {
      const ids = Array.from({ length: COUNT }, (_, n) => n);
      await Promise.all(ids.map((_id) => items.insertOne({ _id }, { writeConcern: { j: true } })));
    });
    await server.kill();
    await server.restart();
    expect(await withItems((items) => items.countDocuments())).toBe(COUNT);
  });

  it('answers nothing while it is paused', async () => {
    await withItems(async (items) => {
      await items.findOne();
      await server.pause();
      const signal = AbortSignal.timeout(300);
      try {
        await expect(items.findOne({}, { signal })).rejects.toThrow(/timed out/i);
      } finally {
        await server.resume();
      }
      expect(await items.findOne({ _id: 7 })).toEqual({ _id: 7 });
    });
  });

  it('is empty after a wipe, on the same port', async () => {
    const { url } = server;
    await server.wipe();
    expect(server.url).toBe(url);
    expect(await withItems((items) => items.countDocuments())).toBe(0);
  });

  it('is a replica set, with transactions', async () => {
    await withItems(async (items, client) => {
      const session = client.startSession();
      await session.withTransaction(() => items.insertOne({ _id: 1 }, { session }));
      await session.endSession();
      expect(await items.countDocuments()).toBe(1);
    });
  });
});

describeWith('a MariaDB of its own', { servers: ['mariadb'], own: true }, () => {
  let server: MariadbServer;

  beforeAll(async () => {
    server = present(await startMariadb({ own: true }));
  });
  afterAll(() => server?.stop());

  async function query(...statements: string[]): Promise<unknown[]> {
    const connection = await createConnection({ uri: server.url });
    try {
      let rows: unknown[] = [];
      for (const statement of statements) {
        [rows] = await connection.query<RowDataPacket[]>(statement);
      }
      return rows;
    } finally {
      await connection.end();
    }
  }

  it('lets its administrator in, with a password only', async () => {
    await query("CREATE USER 'app'@'%' IDENTIFIED BY 'secret'", "GRANT SELECT ON *.* TO 'app'@'%'");
    const uri = server.url.replace(/root:[^@]*@/, 'root:wrong@');
    await expect(createConnection({ uri })).rejects.toThrow(/Access denied/);
  });

  it('keeps what was committed when it is killed', async () => {
    await query('CREATE DATABASE d', 'CREATE TABLE d.t (n INT)', 'INSERT INTO d.t VALUES (1), (2)');
    await server.kill();
    await server.restart();
    expect(await query('SELECT n FROM d.t ORDER BY n')).toEqual([{ n: 1 }, { n: 2 }]);
  });

  it('is empty after a wipe', async () => {
    await server.wipe();
    await expect(query('SELECT n FROM d.t')).rejects.toThrow(/doesn't exist/);
  });
});

describeWith('a Redis of its own', { servers: ['redis'], own: true }, () => {
  let server: RedisServer;

  beforeAll(async () => {
    server = present(await startRedis({ own: true }));
  });
  afterAll(() => server?.stop());

  it('keeps what it answered when it is killed', async () => {
    expect(await askRedis(server.url, 'SET kept yes')).toBe('+OK');
    await server.kill();
    await server.restart();
    expect(await askRedis(server.url, 'GET kept')).toBe('$3\r\nyes');
  });

  it('writes to disk as often as it is told', async () => {
    const other = present(await startRedis({ own: true, appendfsync: 'no' }));
    const [mine, others] = await Promise.all(
      [server, other].map(({ url }) => askRedis(url, 'CONFIG GET appendfsync')),
    );
    await other.stop();
    expect(mine).toMatch(/always$/);
    expect(others).toMatch(/no$/);
  });

  it('is empty after a wipe', async () => {
    await server.wipe();
    expect(await askRedis(server.url, 'GET kept')).toBe('$-1');
  });
});

describeWith('servers that were brought up', { servers: ['rabbitmq', 'mongo', 'redis'] }, () => {
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'backstep-up-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  async function bringUp(...args: string[]) {
    const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: folder };
    for (const variable of Object.values(URL_VARIABLES)) delete env[variable];
    const child = spawn(process.execPath, ['dist/test/servers/main.js', 'up', ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env,
    });
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string];
    const urls = Object.values(JSON.parse(line) as Record<string, string>);
    const ports = urls.map((url) => Number(new URL(url).port));
    await Promise.all(ports.map(acceptsConnections));
    return { process: child, ports };
  }

  it('go when the process that started them is killed', async () => {
    const { process: up, ports } = await bringUp('rabbitmq', 'mongo', 'redis');
    up.kill('SIGKILL');
    await Promise.all(ports.map(refuses));
    const what = 'their folders are still there';
    const gone = async () => expect(await leftIn(folder)).toEqual([]);
    await waitUntil(gone, { what, deadlineMs: DEADLINE_MS });
  });

  it('go when the input of that process ends', async () => {
    const { process: up, ports } = await bringUp('redis', '--until-stdin-ends');
    up.stdin.end();
    expect(await once(up, 'exit')).toEqual([0, null]);
    await Promise.all(ports.map(refuses));
    expect(await leftIn(folder)).toEqual([]);
  });

  it('go in order on a signal', async () => {
    const { process: up, ports } = await bringUp('redis');
    up.kill('SIGTERM');
    expect(await once(up, 'exit')).toEqual([0, null]);
    await Promise.all(ports.map(refuses));
  });
});

/**
 * Files that servers have left in a folder, without the list of taken ports, which later runs use.
 */
async function leftIn(folder: string): Promise<readonly string[]> {
  return (await readdir(folder)).filter((name) => name !== path.basename(TAKEN_PORTS));
}

function refuses(port: number): Promise<void> {
  const refused = async () => expect(acceptsConnections(port)).rejects.toThrow();
  return waitUntil(refused, { what: `port ${port} still answers`, deadlineMs: DEADLINE_MS });
}
