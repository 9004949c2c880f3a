import { existsSync } from 'node:fs';
import path from 'node:path';
import { installedTools } from '../servers/tool-cache.js';
import { REPOSITORY } from '../stack/index.js';

/** The tools of npm and Python that read the document, with their paths. */
export interface OpenApiTools {
  readonly openapiTs: string;
  readonly redocly: string;
  readonly schemathesis: string;
  readonly spectral: string;
  /** The packages of npm: a project that is linked to it has the generator and the compiler. */
  readonly nodeModules: string;
  /** The programs of Python. */
  readonly pythonBin: string;
}

/** The generator of Go, with its modules. */
export interface GoTools {
  readonly bin: string;
  /** Has Go ask for nothing outside. */
  readonly environment: Readonly<Record<string, string>>;
}

/** Go, with its cache of `.ci/install-tools` if that has been run. */
export interface GoPlace {
  readonly environment: Readonly<Record<string, string>>;
  /** The drivers of databases are there, which the tests of the Go worker's barrier need. */
  readonly hasDrivers: boolean;
}

/** The tools that `.ci/install-tools` has installed; null: it has not. */
export function findTools(): OpenApiTools | null {
  const home = installedFor('openapi', [
    'test/openapi/npm/package.json',
    'test/openapi/requirements.txt',
  ]);
  if (home === null) return null;
  const nodeModules = path.join(home, 'node', 'node_modules');
  const nodeBin = path.join(nodeModules, '.bin');
  const pythonBin = path.join(home, 'python', 'bin');
  return {
    openapiTs: path.join(nodeBin, 'openapi-ts'),
    redocly: path.join(nodeBin, 'redocly'),
    schemathesis: path.join(pythonBin, 'schemathesis'),
    spectral: path.join(nodeBin, 'spectral'),
    nodeModules,
    pythonBin,
  };
}

/** The same for Go; null also where this machine has no Go. */
export function findGoTools(): GoTools | null {
  const home = installedFor('openapi-go', [
    'test/openapi/go-tools.txt',
    'examples/clients/go/go.mod',
    'examples/clients/go/go.sum',
  ]);
  if (home === null) return null;
  return { bin: path.join(home, 'bin'), environment: { ...OFFLINE, ...cachesIn(home) } };
}

const OFFLINE = { GOFLAGS: '-modcacherw', GOPROXY: 'off', GOTOOLCHAIN: 'local' };

function cachesIn(home: string) {
  return { GOCACHE: path.join(home, 'build'), GOPATH: home };
}

/** Go itself; null: this machine has none. */
export function findGo(): GoPlace | null {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  if (!folders.some((folder) => existsSync(path.join(folder, 'go')))) return null;
  const home = installedFor('clients-go', [
    'clients/go/barriertest/go.mod',
    'clients/go/barriertest/go.sum',
  ]);
  const caches = home === null ? {} : cachesIn(home);
  return { environment: { ...OFFLINE, ...caches }, hasDrivers: home !== null };
}

function installedFor(name: string, lists: readonly string[]): string | null {
  return installedTools(
    name,
    lists.map((list) => path.join(REPOSITORY, list)),
  );
}
