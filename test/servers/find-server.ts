import { accessSync, constants, realpathSync } from 'node:fs';
import path from 'node:path';
import { dockerAnswers } from './docker-engine.js';
import type { Missing, ServerName, ServerOptions } from './server.js';
import { cacheFolder } from './tool-cache.js';

/** The MongoDB-wire server that `.ci/install-servers` builds; it reads the version from here. */
export const SECANTUS_VERSION = '0.5.3-beta.196';

/** The variables that name servers which run already. */
export const URL_VARIABLES: Readonly<Record<ServerName, string>> = {
  rabbitmq: 'BACKSTEP_TEST_AMQP_URL',
  mongo: 'BACKSTEP_TEST_MONGODB_URL',
  mariadb: 'BACKSTEP_TEST_MYSQL_URL',
  redis: 'BACKSTEP_TEST_REDIS_URL',
};

/** Where a server is to be had. */
export type Place =
  | { readonly kind: 'url'; readonly url: string }
  | { readonly kind: 'docker' }
  | { readonly kind: 'machine'; readonly programs: Programs };

/** The programs that make up a server installed on the machine, by name, with their paths. */
export type Programs = Readonly<Record<string, string>>;

/** Folders of servers that are not on everybody's PATH. */
const SERVER_FOLDERS = ['/usr/sbin', '/usr/local/sbin', '/opt/homebrew/sbin'];

const PROGRAMS: Readonly<Record<ServerName, readonly string[]>> = {
  rabbitmq: ['rabbitmq-server', 'rabbitmqctl', 'epmd'],
  mongo: ['secantusd-rs'],
  mariadb: ['mariadbd', 'mariadb-install-db'],
  redis: ['redis-server'],
};

/** Looks for a server: a URL in the environment, a Docker engine, programs on the machine. */
export function findServer(name: ServerName, options: ServerOptions = {}): Place | Missing {
  const variable = URL_VARIABLES[name];
  const url = process.env[variable];
  if (url && !options.own) return { kind: 'url', url };
  if (dockerAnswers && options.folder === undefined) return { kind: 'docker' };
  const programs = new Map(PROGRAMS[name].map((program) => [program, findProgram(program)]));
  const absent = [...programs].filter(([, file]) => file === undefined).map(([program]) => program);
  if (absent.length === 0) {
    return { kind: 'machine', programs: Object.fromEntries(programs) as Programs };
  }
  const given = url ? `${variable} names one that others use` : `${variable} is not set`;
  return {
    missing: name,
    why:
      `${given}, no Docker engine answers, and ${absent.join(' and ')} cannot be found ` +
      '(.ci/install-servers installs it)',
  };
}

function findProgram(program: string): string | undefined {
  return candidates(program).find((file) => isProgram(file));
}

function candidates(program: string): string[] {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).concat(SERVER_FOLDERS);
  const files = folders.map((folder) => path.join(folder, program));
  if (program === 'secantusd-rs') return [...secantusFiles(), ...files];
  // Debian's commands are a wrapper that changes to the user rabbitmq and its one node.
  const machine = program.startsWith('rabbitmq') ? [`/usr/lib/rabbitmq/bin/${program}`] : [];
  return [...otherRabbitmq(program), ...machine, ...files];
}

/** Programs of another RabbitMQ than the machine's: `.ci/install-rabbitmq-4` lays out one. */
function otherRabbitmq(program: string): string[] {
  const folder = process.env['BACKSTEP_RABBITMQ'];
  return folder && PROGRAMS.rabbitmq.includes(program) ? [path.join(folder, program)] : [];
}

function secantusFiles(): string[] {
  const given = process.env['BACKSTEP_SECANTUS'];
  const built = path.join(
    cacheFolder(),
    'servers',
    `secantus-${SECANTUS_VERSION}`,
    'bin',
    'secantusd-rs',
  );
  return given ? [given] : [path.resolve(built)];
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return path.basename(realpathSync(file)) !== 'rabbitmq-script-wrapper';
  } catch {
    return false;
  }
}
