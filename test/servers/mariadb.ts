import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { createConnection } from 'mysql2/promise';
import type { ContainerPlan } from './docker-server.js';
import type { Programs } from './find-server.js';
import { freePort } from './free-ports.js';
import type { MachinePlan } from './machine-server.js';
import type { Missing, RunningServer, ServerOptions } from './server.js';
import { ServerFolder } from './server-folder.js';
import { startServer } from './start-server.js';
import { acceptsConnections } from './wait-until.js';
import type { Probe } from './wait-until.js';

const IMAGE = 'mariadb:11';
const CONNECT_MS = 2_000;

/** Little memory and a short log: these servers hold a handful of small databases. */
const SIZE = [
  '--innodb-buffer-pool-size=32M',
  '--innodb-log-file-size=8M',
  '--performance-schema=OFF',
];

/** A MariaDB of its own. */
export type MariadbOptions = ServerOptions;

/** Its URL is the administrator's, with a password. */
export type MariadbServer = RunningServer;

/** Finds or starts MariaDB; resolves when the administrator was let in. */
export function startMariadb(options: MariadbOptions = {}): Promise<MariadbServer | Missing> {
  return startServer('mariadb', options, {
    container: planContainer,
    machine: (programs) => planMachine(programs, options),
  });
}

async function planContainer(): Promise<ContainerPlan> {
  const host = await freePort();
  const password = newPassword();
  const url = urlAt(host, password);
  return {
    name: 'mariadb',
    url,
    image: IMAGE,
    port: { container: 3306, host },
    env: { MARIADB_ROOT_PASSWORD: password },
    ready: letsIn(url),
  };
}

async function planMachine(programs: Programs, options: MariadbOptions): Promise<MachinePlan> {
  const folder = await ServerFolder.open('mariadb', options);
  const port = await freePort();
  const password = newPassword();
  const url = urlAt(port, password);
  const initFile = folder.file('init.sql');
  await writeFile(initFile, administrator(password), { mode: 0o600 });
  const basic = ['--no-defaults', `--datadir=${folder.data}`, ...SIZE, ...asThisUser()];
  return {
    name: 'mariadb',
    url,
    folder,
    prepare: async () => {
      await promisify(execFile)(programs['mariadb-install-db']!, [
        ...basic,
        '--auth-root-authentication-method=normal',
        '--skip-test-db',
      ]);
    },
    process: {
      command: programs['mariadbd']!,
      args: [
        ...basic,
        '--bind-address=127.0.0.1',
        `--port=${port}`,
        `--socket=${folder.file('mariadb.sock')}`,
        `--pid-file=${folder.file('mariadb.pid')}`,
        `--init-file=${initFile}`,
        '--skip-name-resolve',
      ],
    },
    ready: () => acceptsConnections(port).then(letsIn(url)),
  };
}

/** Run at every start, before anybody can connect. */
function administrator(password: string): string {
  return [
    `CREATE OR REPLACE USER 'root'@'127.0.0.1' IDENTIFIED BY '${password}';`,
    "GRANT ALL PRIVILEGES ON *.* TO 'root'@'127.0.0.1' WITH GRANT OPTION;",
    '',
  ].join('\n');
}

/** It refuses to run as the superuser unless told to. */
function asThisUser(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

function newPassword(): string {
  return randomBytes(12).toString('hex');
}

function urlAt(port: number, password: string): string {
  return `mysql://root:${password}@127.0.0.1:${port}/`;
}

function letsIn(uri: string): Probe {
  return async () => {
    const connection = await createConnection({ uri, connectTimeout: CONNECT_MS });
    await connection.end();
  };
}
