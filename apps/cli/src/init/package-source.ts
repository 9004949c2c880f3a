import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { readJson } from '#json';
import { CliError, EXIT } from '../exit.js';
import { VERSION } from '../version.js';

/** Where this package is: a clone, or a folder in a user's `node_modules`. */
export const PACKAGE = fileURLToPath(new URL('../../../../..', import.meta.url));

/** Where a project keeps an archive of Backstep that no registry has. */
const VENDOR = 'vendor';

/** Of what npm writes about the largest projects. */
const LOCK_BYTES_MAX = 67_108_864;

/**
 * The dependency on Backstep for the `package.json` of the project in `folder`. From a clone, an
 * archive is packed into the project. An archive that Backstep was installed from is copied there.
 * Otherwise it is the version from the registry. `given` overrides all of these. `tell` gets a line
 * before what takes long.
 */
export async function dependencyFor(
  folder: string,
  given: string | undefined,
  tell: (news: string) => void,
): Promise<string> {
  if (given !== undefined) return given.endsWith('.tgz') ? vendored(given, folder) : given;
  if (existsSync(path.join(PACKAGE, 'libs'))) {
    tell('Packing this clone of Backstep for the project, which takes some seconds ...');
    return packed(folder);
  }
  const archive = await installedFrom();
  return archive === undefined ? `^${VERSION}` : vendored(archive, folder);
}

async function packed(folder: string): Promise<string> {
  const vendor = path.join(folder, VENDOR);
  await mkdir(vendor, { recursive: true });
  try {
    const args = ['pack', '--pack-destination', vendor, '--json', '--foreground-scripts=false'];
    await promisify(execFile)('npm', args, { cwd: PACKAGE, shell: process.platform === 'win32' });
  } catch (error) {
    const { stderr } = error as { stderr?: string };
    const sentence = 'Backstep could not be packed for the new project';
    throw new CliError(EXIT.endedOtherwise, sentence, stderr);
  }
  return `file:${VENDOR}/backstep-${VERSION}.tgz`;
}

async function vendored(archive: string, folder: string): Promise<string> {
  const file = path.resolve(archive.replace(/^file:/, ''));
  if (!existsSync(file)) throw new CliError(EXIT.usage, `there is no file ${file}`);
  const name = path.basename(file);
  await mkdir(path.join(folder, VENDOR), { recursive: true });
  await copyFile(file, path.join(folder, VENDOR, name));
  return `file:${VENDOR}/${name}`;
}

/** The archive that npm installed this package from, where it was one and is still there. */
async function installedFrom(): Promise<string | undefined> {
  const modules = path.dirname(PACKAGE.replace(/[\\/]$/, ''));
  try {
    const lock = await readFile(path.join(modules, '.package-lock.json'), 'utf8');
    const { packages } = readJson(lock, { bytes: LOCK_BYTES_MAX }) as unknown as Lock;
    const resolved = packages['node_modules/backstep']?.resolved ?? '';
    // npm writes it relative to the folder that has `node_modules`.
    const file = path.resolve(path.dirname(modules), resolved.replace(/^file:/, ''));
    return resolved.startsWith('file:') && existsSync(file) ? file : undefined;
  } catch {
    return undefined;
  }
}

interface Lock {
  readonly packages: Readonly<Record<string, { readonly resolved?: string }>>;
}
