import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { type Clock, ProcessUnavailable, StoreDamaged, StoreUnavailable } from '#ports';
import { StoreBusy } from '../errors.js';
import { examineSqliteFile } from '../examine.js';
import { Database } from '../worker/database.js';
import { type KeptPlaces, SideFiles, STORE_NAME, withLog } from './side-files.js';

/** Files and folders to copy, each with the place of its copy. */
export interface CopyOrder {
  /** Files that are not there are left out. */
  readonly files: readonly (readonly [from: string, to: string])[];
  /** With all files in them; those that go away meanwhile are left out. */
  readonly folders: readonly (readonly [from: string, to: string])[];
}

/**
 * Copies in a process of its own: where a process closes a file that it has read, it loses the
 * locks that SQLite has on that file. Throws `StoreUnavailable` with the reason where a copy
 * fails, and `ProcessUnavailable` where the process does not start or was ended from outside.
 */
export async function copyFiles(order: CopyOrder): Promise<void> {
  const child = await startCopying();
  child.stdin.on('error', () => undefined);
  child.stdin.end(JSON.stringify(order));
  const [said, [code, signal]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  if (signal !== null) throw new ProcessUnavailable(`backup: it ended with ${signal}`);
  if (code !== 0) throw new StoreUnavailable(`The files cannot be copied: ${said.trim()}.`);
}

/** Resolves once the process runs. */
async function startCopying(): Promise<ChildProcessByStdio<Writable, null, Readable>> {
  // Options for this process, such as instrumentations, are not for that one.
  const env = { ...process.env, NODE_OPTIONS: '' };
  try {
    const child = spawn(process.execPath, ['-e', PROGRAM], {
      env,
      stdio: ['pipe', 'ignore', 'pipe'],
    });
    await once(child, 'spawn');
    return child;
  } catch (error) {
    throw new ProcessUnavailable(`backup: ${(error as Error).message}`, { cause: error });
  }
}

const PROGRAM = `
const fs = require('node:fs');
const path = require('node:path');
const copy = (from, to) => {
  try {
    fs.copyFileSync(from, to, fs.constants.COPYFILE_FICLONE);
  } catch (error) {
    if (error.code !== 'ENOENT' || fs.existsSync(from)) throw error;
  }
};
const entriesOf = (folder) => {
  try {
    return fs.readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
  }
};
const copyFolder = (from, to) => {
  fs.mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const entry of entriesOf(from)) {
    const [source, target] = [path.join(from, entry.name), path.join(to, entry.name)];
    if (entry.isDirectory()) copyFolder(source, target);
    else if (entry.isFile()) copy(source, target);
  }
};
try {
  const { files, folders } = JSON.parse(fs.readFileSync(0, 'utf8'));
  for (const [from, to] of files) copy(from, to);
  for (const [from, to] of folders) copyFolder(from, to);
} catch (error) {
  process.stderr.write(error.message);
  process.exitCode = 1;
}
`;

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
