import { existsSync } from 'node:fs';
import path from 'node:path';
import { type Clock, StoreDamaged, StoreUnavailable } from '#ports';
import { StoreBusy } from '../errors.js';
import { examineSqliteFile } from '../examine.js';
import { Database } from '../worker/database.js';
import { copyFiles } from './copy-files.js';
import { type KeptPlaces, SideFiles, STORE_NAME, withLog } from './side-files.js';

/**
 * Copies a store that no process has open, with all that belongs to it, into a folder that is
 * there. No process can open the store meanwhile. Throws `StoreBusy` where one has it open,
 * `StoreDamaged` where it is damaged, and `StoreUnavailable` where there is none, or a copy
 * fails.
 */
export async function copyStoppedStore(
  places: KeptPlaces,
  target: string,
  clock: Clock,
): Promise<void> {
  const { file } = places;
  if (!existsSync(file)) throw new StoreUnavailable(`There is no store ${file}.`);
  const { kind, message } = examineSqliteFile(file);
  if (kind === 'busy') throw new StoreBusy(`A process has the store ${file} open.`);
  if (kind === 'damaged') throw new StoreDamaged(`The store ${file} is damaged: ${message}.`);
  if (kind === 'failed')
    throw new StoreUnavailable(`The store ${file} cannot be read: ${message}.`);
  const db = new Database(file, { readonly: true });
  try {
    // A process that begins needs the file for itself.
    db.execute('BEGIN');
    db.value('SELECT count(*) FROM sqlite_schema');
    const side = new SideFiles(places);
    try {
      await side.lock(clock, () => undefined);
      const { files, folders } = side.orderInto(target);
      const store = withLog([file, path.join(target, STORE_NAME)]);
      await copyFiles({ files: [...store, ...files], folders });
    } finally {
      side.close();
    }
  } finally {
    db.close();
  }
}
