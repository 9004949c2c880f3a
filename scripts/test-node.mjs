/** The versions of Node that tests run on besides the one that started them. */
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { hashFiles } from './compile.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const LIST = 'test/nodes/package.json';
const OWN = Number.parseInt(process.versions.node, 10);

/** Their major numbers. */
export const OTHER_NODES = Object.keys(
  JSON.parse(readFileSync(path.join(ROOT, LIST), 'utf8')).dependencies,
)
  .map((name) => Number(name.slice('node-'.length)))
  .filter((major) => major !== OWN);

/**
 * Path of the Node that `.ci/install-tools` has installed. Rejects where it has not.
 *
 * @param {number} major
 */
export async function findNode(major) {
  const cache = process.env.BACKSTEP_CACHE || path.join(homedir(), '.cache', 'backstep');
  const hash = (await hashFiles(ROOT, [LIST])).digest('hex').slice(0, 12);
  const node = path.join(cache, `nodes-${hash}/node_modules/node-${major}/bin/node`);
  if (existsSync(node)) return node;
  throw new Error(`there is no Node ${major}: .ci/install-tools has not been run`);
}
