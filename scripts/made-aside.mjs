import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const DIST = fileURLToPath(new URL('../dist', import.meta.url));

/**
 * Makes a folder of dist/ beside the last one, and puts it in its place once it is whole: a process
 * that starts meanwhile finds the old one or the new one.
 *
 * @param {string} name Its path in dist/.
 * @param {(folder: string) => Promise<void>} make Fills a new folder.
 */
export async function makeAside(name, make) {
  const target = path.join(DIST, name);
  const made = path.join(DIST, `.${path.basename(name)}-made`);
  const old = `${made}-old`;
  for (const left of [made, old]) await rm(left, { recursive: true, force: true });
  await mkdir(made, { recursive: true });
  await make(made);
  await mkdir(path.dirname(target), { recursive: true });
  await rename(target, old).catch(() => undefined);
  await rename(made, target);
  await rm(old, { recursive: true, force: true });
}
