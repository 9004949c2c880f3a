import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository, from its sources and from what was built of them alike. */
export const REPOSITORY = findRoot(path.dirname(fileURLToPath(import.meta.url)));

/** The built entry of a kind of process. Throws where nothing was built. */
export function entryOf(app: string): string {
  const entry = path.join(REPOSITORY, 'dist/apps', app, 'src/main.js');
  if (!existsSync(entry)) throw new Error(`${entry} is missing: run \`npm run build\` first`);
  return entry;
}

/**
 * The program that the build has bundled of an entry in `dist`, which starts sooner; the entry
 * itself where it bundles none of it.
 */
export function bundledOf(entry: string): string {
  const dist = path.join(REPOSITORY, 'dist');
  const bundled = path.join(dist, 'programs', path.relative(dist, entry));
  return existsSync(bundled) ? bundled : entry;
}

function findRoot(folder: string): string {
  return existsSync(path.join(folder, 'package.json')) ? folder : findRoot(path.dirname(folder));
}
