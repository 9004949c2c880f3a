import { execFile } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import Libsql from 'libsql';
import { MongoClient } from 'mongodb';
import { planStandalone, REPOSITORY, Stack } from '../stack/index.js';
import type { AppProcess, DeploymentKind, WrittenSettings } from '../stack/index.js';
import type { Trial } from '../trial/index.js';

const run = promisify(execFile);
const BREAK_STORE = path.join(REPOSITORY, 'dist/test/hostile/break-store.js');

/** One entry of the audit log as a store has it: where it is, and what is there. */
export interface StoredEntry {
  readonly place: number;
  readonly content: Readonly<Record<string, unknown>>;
}

/** A Backstep, and its audit log as a writer of the store sees it. */
export interface StoredLog {
  readonly url: string;
  /** The log of the gateway. */
  readonly logFile: string;
  /** In the order of their places. */
  read(): Promise<readonly StoredEntry[]>;
  /** Puts these in the place of all that was there. */
  write(entries: readonly StoredEntry[]): Promise<void>;
  /** Stops the gateway as an operator does, and starts it again. */
  restart(): Promise<void>;
}

/** Starts a Backstep with these settings. */
export function openStoredLog(
  kind: DeploymentKind,
  trial: Trial,
  settings: WrittenSettings,
): Promise<StoredLog> {
  return kind === 'standalone' ? openRows(trial, settings) : openDocuments(trial, settings);
}

/** The rows of SQLite: one process has the file, so it is stopped while they are changed. */
async function openRows(trial: Trial, settings: WrittenSettings): Promise<StoredLog> {
  const { folder } = trial;
  const process = await planStandalone({ folder, settings });
  trial.use({ stop: () => process.kill() });
  await process.start();
  const file = path.join(folder, 'data', 'backstep.db');
  return {
    url: process.url,
    logFile: process.logFile,
    read: async () => {
      await process.terminate();
      const rows = await rowsIn(file, folder);
      await process.start();
      return rows.map(({ entry, seq }) => ({ place: seq, content: JSON.parse(entry) }));
    },
    write: async (entries) => {
      await process.terminate();
      const rows = entries.map(({ content, place }) => {
        return `INSERT INTO audit VALUES (${place}, '${quoted(JSON.stringify(content))}')`;
      });
      await run(execPath, [BREAK_STORE, file, 'DELETE FROM audit', ...rows]);
      await process.start();
    },
    restart: () => restart(process),
  };
}

async function restart(process: AppProcess): Promise<void> {
  await process.terminate();
  await process.start();
}

/** Of a copy: the driver may keep a file open after it was told to close it. */
async function rowsIn(file: string, folder: string): Promise<readonly Row[]> {
  const copy = path.join(folder, 'copy.db');
  await copyFile(file, copy);
  const db = new Libsql(copy);
  const rows = db.prepare('SELECT seq, entry FROM audit ORDER BY seq').all() as Row[];
  db.close();
  return rows;
}

function quoted(text: string): string {
  return text.replaceAll("'", "''");
}

interface Row {
  readonly seq: number;
  readonly entry: string;
}

/** The documents of MongoDB, whose place is the id. */
async function openDocuments(trial: Trial, settings: WrittenSettings): Promise<StoredLog> {
  const { folder } = trial;
  const executors = { resource: 0, mysql: 0, monitor: 0, lab: 0 };
  const stack = trial.use(await Stack.start({ folder, settings, executors }));
  const gateway = stack.gateways[0]!;
  const client = await MongoClient.connect(new URL('/backstep', stack.servers.mongo.url).href);
  trial.use({ stop: () => client.close() });
  const audit = client.db().collection<{ _id: number }>('audit');
  return {
    url: stack.url,
    logFile: gateway.logFile,
    read: async () => {
      const found = await audit.find().sort({ _id: 1 }).toArray();
      return found.map(({ _id: place, ...content }) => ({ place, content }));
    },
    write: async (entries) => {
      await audit.deleteMany({});
      await audit.insertMany(entries.map(({ content, place }) => ({ _id: place, ...content })));
    },
    restart: () => restart(gateway),
  };
}
