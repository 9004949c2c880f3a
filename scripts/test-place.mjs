/** Other versions of Node and RabbitMQ than the machine's own that tests run on. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIST = 'test/nodes/package.json';
const OWN = Number.parseInt(process.versions.node, 10);

/** Their major numbers. */
export const OTHER_NODES = Object.keys(
  JSON.parse(readFileSync(path.join(ROOT, LIST), 'utf8')).dependencies,
)
  .map((name) => Number(name.slice('node-'.length)))
  .filter((major) => major !== OWN);

/** The broker that a part may run on, as labels name it. */
export const OTHER_BROKER = 'rabbitmq-4';

const CACHE = process.env.BACKSTEP_CACHE || path.join(homedir(), '.cache', 'backstep');

/**
 * The Node that a part runs on, and variables besides those of this process. Rejects where what it
 * names is not installed.
 *
 * @param {string | undefined} where A major version of Node, or `OTHER_BROKER`; absent: what the
 * machine has.
 * @returns {Promise<{program: string, env: Readonly<Record<string, string>>}>}
 */
export async function findPlace(where) {
  if (where === undefined) return { program: process.execPath, env: {} };
  if (where === OTHER_BROKER) {
    return { program: process.execPath, env: { BACKSTEP_RABBITMQ: findBroker() } };
  }
  return { program: findNode(where), env: {} };
}

function findBroker() {
  const servers = path.join(CACHE, 'servers');
  const names = existsSync(servers) ? readdirSync(servers) : [];
  const bins = names.filter((name) => name.startsWith(`${OTHER_BROKER}-`));
  const bin = bins.map((name) => path.join(servers, name, 'bin')).find((one) => existsSync(one));
  if (bin !== undefined) return bin;
  throw new Error('there is no RabbitMQ 4: .ci/install-rabbitmq-4 has not been run');
}

function findNode(major) {
  const list = readFileSync(path.join(ROOT, LIST));
  const hash = createHash('sha256').update(list).digest('hex').slice(0, 12);
  const node = path.join(CACHE, `nodes-${hash}/node_modules/node-${major}/bin/node`);
  if (existsSync(node)) return node;
  throw new Error(`there is no Node ${major}: .ci/install-tools has not been run`);
}
