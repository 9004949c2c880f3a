import path from 'node:path';
import { installedTools } from '../servers/tool-cache.js';
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
  const paths = lists.map((list) => path.join(REPOSITORY, 'test/openapi', list));
  const home = installedTools('openapi', paths);
  if (home === null) return null;
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
