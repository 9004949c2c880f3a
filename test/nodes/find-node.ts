import path from 'node:path';
import { installedTools } from '../servers/tool-cache.js';
import { REPOSITORY } from '../stack/index.js';

/** Path of the Node of a major version that `.ci/install-tools` installed; null: it has not. */
export function findNode(major: number): string | null {
  const home = installedTools('nodes', [path.join(REPOSITORY, 'test/nodes/npm/package.json')]);
  return home === null ? null : path.join(home, 'node_modules', `node-${major}`, 'bin', 'node');
}
