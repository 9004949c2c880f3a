import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { REPOSITORY } from '../stack/index.js';

/** The tools that the document is read with, by name, with their paths. */
export interface OpenApiTools {
  readonly openapiPythonClient: string;
  readonly openapiTs: string;
  readonly openapiTypescript: string;
  readonly redocly: string;
  readonly schemathesis: string;
  readonly tsc: string;
  /** Where what Python's tools call is found. */
  readonly pythonBin: string;
}

/** The tools that `.ci/install-tools` has installed; null: it has not. */
export function findTools(): OpenApiTools | null {
  const lists = ['package.json', 'requirements.txt'];
  const hash = createHash('sha256');
  for (const list of lists) hash.update(readFileSync(path.join(REPOSITORY, 'test/openapi', list)));
  const cache = process.env['BACKSTEP_CACHE'] ?? path.join(homedir(), '.cache', 'backstep');
  const home = path.join(cache, `openapi-${hash.digest('hex').slice(0, 12)}`);
  if (!existsSync(path.join(home, 'done'))) return null;
  const nodeBin = path.join(home, 'node', 'node_modules', '.bin');
  const pythonBin = path.join(home, 'python', 'bin');
  return {
    openapiPythonClient: path.join(pythonBin, 'openapi-python-client'),
    openapiTs: path.join(nodeBin, 'openapi-ts'),
    openapiTypescript: path.join(nodeBin, 'openapi-typescript'),
    redocly: path.join(nodeBin, 'redocly'),
    schemathesis: path.join(pythonBin, 'schemathesis'),
    tsc: path.join(nodeBin, 'tsc'),
    pythonBin,
  };
}
