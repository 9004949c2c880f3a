/**
 * `npm run sbom`: prints all packages that an installation of the package brings, with exact
 * versions and hashes, as CycloneDX JSON. It makes no request. npm's own `--omit dev` leaves out
 * peer dependencies, and all that development needs too.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { REPOSITORY } from '../stack/repository.js';
import { type LockedPackages, nameOf, shippedPackages } from './shipped.js';

interface Part {
  readonly 'bom-ref': string;
  readonly properties: readonly { readonly name: string }[];
}

/** The members of a CycloneDX document that are read or changed. */
interface Bom {
  readonly metadata: { readonly component: { readonly 'bom-ref': string; name: string } };
  readonly components: readonly Part[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const DEVELOPMENT = 'cdx:npm:package:development';

const lock = readFileSync(path.join(REPOSITORY, 'package-lock.json'), 'utf8');
const { packages } = JSON.parse(lock) as { readonly packages: LockedPackages };
const shipped = new Map<string, { readonly isOptional: boolean }>();
for (const place of shippedPackages(packages)) {
  const { optional, version } = packages[place]!;
  const ref = `${nameOf(place)}@${version}`;
  shipped.set(ref, { isOptional: optional === true && shipped.get(ref)?.isOptional !== false });
}
const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const { stdout, stderr, status } = spawnSync('npm', args, {
  cwd: REPOSITORY,
  encoding: 'utf8',
  maxBuffer: Infinity,
  shell: process.platform === 'win32',
});
if (status !== 0) {
  process.stderr.write(`sbom: npm could not read the lock file: ${stderr}\n`);
  process.exit(1);
}
const bom = JSON.parse(stdout) as Bom;
const root = bom.metadata.component;
// npm takes the name of the folder.
root.name = packages['']!.name!;
const isListed = (ref: string): boolean => ref === root['bom-ref'] || shipped.has(ref);
const components = bom.components.filter((part) => isListed(part['bom-ref'])).map(asShipped);
const dependencies = bom.dependencies
  .filter(({ ref }) => isListed(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isListed) }));
process.stdout.write(`${JSON.stringify({ ...bom, components, dependencies }, null, 2)}\n`);

function asShipped(part: Part): object {
  const properties = part.properties.filter(({ name }) => name !== DEVELOPMENT);
  const scope = shipped.get(part['bom-ref'])?.isOptional === true ? 'optional' : 'required';
  return { ...part, scope, properties };
}
