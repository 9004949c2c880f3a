/** Other versions of Node and RabbitMQ than the machine's own that tests run on. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';

const LIST = 'test/nodes/npm/package.json';
const OWN = Number.parseInt(process.versions.node, 10);

/** Their major numbers. */
export const OTHER_NODES: readonly number[] = Object.keys(readList().dependencies)
  .map((name) => Number(name.slice('node-'.length)))
  .filter((major) => major !== OWN);

/** The broker that a part may run on, as labels name it. */
export const OTHER_BROKER = 'rabbitmq-4';

const CACHE = process.env['BACKSTEP_CACHE'] || path.join(homedir(), '.cache', 'backstep');

/** The Node that a part runs on, and variables besides those of this process. */
export interface Place {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Finds a major version of Node, or `OTHER_BROKER`; undefined: what the machine has. An error where
 * it is not installed.
 */
export function findPlace(where: string | undefined): Place | Error {
  if (where === undefined) return { program: process.execPath, env: {} };
  if (where === OTHER_BROKER) {
    const bin = findBroker();
    if (bin !== undefined) return { program: process.execPath, env: { BACKSTEP_RABBITMQ: bin } };
    return new Error('there is no RabbitMQ 4: .ci/install-rabbitmq-4 has not been run');
  }
  const node = placeOfNode(where);
  if (existsSync(node)) return { program: node, env: {} };
  return new Error(`there is no Node ${where}: .ci/install-tools has not been run`);
}

function readList(): { readonly dependencies: Readonly<Record<string, string>> } {
  const text = readFileSync(path.join(REPOSITORY, LIST), 'utf8');
  return JSON.parse(text) as ReturnType<typeof readList>;
}

function findBroker(): string | undefined {
  const servers = path.join(CACHE, 'servers');
  const names = existsSync(servers) ? readdirSync(servers) : [];
  const bins = names.filter((name) => name.startsWith(`${OTHER_BROKER}-`));
  return bins.map((name) => path.join(servers, name, 'bin')).find((one) => existsSync(one));
}

function placeOfNode(major: string): string {
  const list = readFileSync(path.join(REPOSITORY, LIST));
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 12);
  return path.join(CACHE, `nodes-${hash}/node_modules/node-${major}/bin/node`);
}
