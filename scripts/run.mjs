/** `node scripts/run.mjs <entry> [args]`: runs an entry of dist/ from any state of the clone. */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { ready } from './ready.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/**
 * Makes the repository ready, then becomes an entry of dist/ in this same process, so that signals
 * and exit codes are the entry's own.
 *
 * @param {string} entry A file of dist/, relative to the repository.
 * @param {string[]} args The command-line arguments of the entry.
 */
export async function runEntry(entry, args) {
  try {
    await ready();
  } catch (error) {
    const hint = ['EACCES', 'EROFS'].includes(error.code) ? '\nBuild it first: npm run build' : '';
    console.error(`${error.message}${hint}`);
    process.exit(1);
  }
  const file = path.join(ROOT, entry);
  if (!existsSync(file)) {
    console.error(`${entry} does not exist.`);
    process.exit(1);
  }
  process.setSourceMapsEnabled(true);
  process.argv = [process.execPath, file, ...args];
  await import(pathToFileURL(file).href);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [entry, ...args] = process.argv.slice(2);
  if (entry === undefined) {
    console.error('usage: node scripts/run.mjs <entry> [args]');
    process.exit(2);
  }
  await runEntry(entry, args);
}
