/** `node scripts/run.mjs <entry> [args]`: runs an entry of dist/ from any state of the clone. */
import { runEntry } from './entry.mjs';

const [entry, ...args] = process.argv.slice(2);
if (entry === undefined) {
  console.error('usage: node scripts/run.mjs <entry> [args]');
  process.exit(2);
}
await runEntry(entry, args);
