import { execFile } from 'node:child_process';
import path from 'node:path';
import { execPath } from 'node:process';
import { promisify } from 'node:util';
import { type Document, MongoClient } from 'mongodb';
import { type AppProcess, type DeploymentKind, planStandalone } from '../stack/index.js';
import { REPOSITORY, Stack, type WrittenSettings } from '../stack/index.js';
import type { Trial } from '../trial/index.js';

const run = promisify(execFile);
const BREAK_STORE = path.join(REPOSITORY, 'dist/test/hostile/break-store.js');

/** Name of the one record of each kind that is broken, where people name them. */
export const BROKEN = 'broken';

/** Ids of records that are broken, where nobody names them. */
export interface BrokenIds {
  readonly task: string;
  readonly operation: string;
  readonly auditEntry: number;
}

/** A Backstep, and its store as a writer of it sees it. */
export interface BreakableStack {
  readonly url: string;
  /** Breaks one record of each kind while nothing runs that looks after tasks, and goes on. */
  breakAll(ids: BrokenIds): Promise<void>;
  restart(): Promise<void>;
}

/** Kinds of the records that are broken besides tasks. */
export const BROKEN_KINDS = [
  'audit_entry',
  'command',
  'delivery',
  'flow',
  'key',
  'lock',
  'notification',
  'operation',
  'schedule',
] as const;

/** Starts a Backstep of this kind. */
export function openBreakable(
  kind: DeploymentKind,
  trial: Trial,
  settings: WrittenSettings,
): Promise<BreakableStack> {
  return kind === 'standalone' ? openFile(trial, settings) : openServer(trial, settings);
}

async function openFile(trial: Trial, settings: WrittenSettings): Promise<BreakableStack> {
  const { folder } = trial;
  const process = await planStandalone({ folder, settings });
  trial.use({ stop: () => process.kill() });
  await process.start();
  const file = path.join(folder, 'data', 'backstep.db');
  return {
    url: process.url,
    breakAll: async (ids) => {
      await process.kill();
      await run(execPath, [BREAK_STORE, file, ...statements(ids)]);
      await process.start();
    },
    restart: () => process.restart(),
  };
}

/** Each in another way. */
function statements({ auditEntry, operation, task }: BrokenIds): readonly string[] {
  const row = `(SELECT id FROM task WHERE task_id = '${task}')`;
  const named = `WHERE name = '${BROKEN}'`;
  const has = (member: string): string => `json_extract(text, '$.${member}') = '${BROKEN}'`;
  return [
    `DELETE FROM progress WHERE id = ${row}`,
    `UPDATE record SET text = '{' WHERE kind = 'schedule' AND id = '${BROKEN}'`,
    `UPDATE record SET tag = 'x' WHERE kind = 'notification' AND id = '${BROKEN}'`,
    `UPDATE record SET text = json_set(text, '$.v', 2) WHERE kind = 'delivery' AND ${has('rule')}`,
    `UPDATE record SET text = x'00ff' WHERE kind = 'operation' AND id = '${operation}'`,
    `UPDATE flow SET definition = '[]' ${named}`,
    `UPDATE record SET text = '7' WHERE kind = 'command' AND ${has('command')}`,
    `UPDATE record SET text = json_remove(text, '$.hash') WHERE kind = 'key' AND ${has('name')}`,
    `UPDATE audit SET entry = 'oops' WHERE seq = ${auditEntry}`,
    `UPDATE lock_line SET slots = 'many' ${named}`,
  ];
}

async function openServer(trial: Trial, settings: WrittenSettings): Promise<BreakableStack> {
  const stack = trial.use(await Stack.start({ folder: trial.folder, settings }));
  const client = await MongoClient.connect(new URL('/backstep', stack.servers.mongo.url).href);
  trial.use({ stop: () => client.close() });
  /** Those whose work is broken. */
  const victims: readonly AppProcess[] = [...stack.gateways, ...stack.executors.lab];
  return {
    url: stack.url,
    breakAll: async (ids) => {
      await Promise.all(victims.map((process) => process.kill()));
      for (const [collection, filter, update] of updates(ids)) {
        const found = client.db().collection(collection);
        const { matchedCount } = await found.updateMany(filter, update);
        if (matchedCount === 0) throw new Error(`there is nothing to break in ${collection}`);
      }
      await Promise.all(victims.map((process) => process.start()));
    },
    restart: async () => {
      await Promise.all(victims.map((process) => process.restart()));
    },
  };
}

type Update = readonly [collection: string, filter: Document, update: Document];

/** Each in another way. Of the sessions, some are of the dead and some of the living. */
function updates({ auditEntry, operation, task }: BrokenIds): readonly Update[] {
  const named = { _id: BROKEN };
  return [
    ['tasks', { _id: task }, { $set: { 'plan.parameters': '{' } }],
    ['schedules', named, { $set: { order: '{' } }],
    ['notifications', named, { $set: { revision: 'x' } }],
    ['notification_deliveries', { rule: BROKEN }, { $unset: { message: 1 } }],
    ['operations', { _id: operation }, { $set: { order: [] } }],
    ['flow_versions', { name: BROKEN }, { $set: { 'definition.v': 2 } }],
    ['command_defaults', { _id: new RegExp(BROKEN) }, { $set: { defaults: [7] } }],
    ['access_keys', { name: BROKEN }, { $unset: { hash: 1 } }],
    ['audit', { _id: auditEntry }, { $set: { actor: [7] } }],
    ['locks', named, { $set: { line: 7 } }],
    ['sessions', {}, { $set: { beat: 'x' } }],
  ];
}
