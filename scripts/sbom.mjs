/**
 * `npm run sbom`: prints all packages that an installation of the package brings, with exact
 * versions and hashes, as CycloneDX JSON. It makes no request. npm's own `--omit dev` leaves out
 * peer dependencies, and all that development needs too.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { nameOf, shippedPackages } from './shipped.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DEVELOPMENT = 'cdx:npm:package:development';

const { packages } = JSON.parse(readFileSync(path.join(ROOT, 'package-lock.json'), 'utf8'));
const shipped = new Map();
for (const place of shippedPackages(packages)) {
  const { optional, version } = packages[place];
  const ref = `${nameOf(place)}@${version}`;
  shipped.set(ref, { isOptional: optional === true && shipped.get(ref)?.isOptional !== false });
}
const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only'];
const { stdout, stderr, status } = spawnSync('npm', args, {
  cwd: ROOT,
  encoding: 'utf8',
  maxBuffer: Infinity,
  shell: process.platform === 'win32',
});
if (status !== 0) {
  process.stderr.write(`sbom: npm could not read the lock file: ${stderr}\n`);
  process.exit(1);
}
const bom = JSON.parse(stdout);
const root = bom.metadata.component;
// npm takes the name of the folder.
root.name = packages[''].name;
const isListed = (ref) => ref === root['bom-ref'] || shipped.has(ref);
bom.components = bom.components.filter((part) => isListed(part['bom-ref'])).map(asShipped);
bom.dependencies = bom.dependencies
  .filter(({ ref }) => isListed(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isListed) }));
process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);

function asShipped(part) {
  const properties = part.properties.filter(({ name }) => name !== DEVELOPMENT);
  const scope = shipped.get(part['bom-ref']).isOptional ? 'optional' : 'required';
  return { ...part, scope, properties };
}
