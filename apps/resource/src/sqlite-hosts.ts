import type { SqliteTx } from '#barrier';
import type { Allocation, Host, Size } from './inventory.js';
import { toThousandths } from './thousandths.js';

/**
 * Migration: hosts and what is taken of them, in thousandths. The checks hold whatever the code
 * does.
 */
export const INVENTORY_TABLES = `
  CREATE TABLE hosts (
    host TEXT PRIMARY KEY,
    cpu INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    storage INTEGER NOT NULL,
    cpu_free INTEGER NOT NULL CHECK (cpu_free BETWEEN 0 AND cpu),
    memory_free INTEGER NOT NULL CHECK (memory_free BETWEEN 0 AND memory),
    storage_free INTEGER NOT NULL CHECK (storage_free BETWEEN 0 AND storage),
    retired INTEGER NOT NULL DEFAULT 0
  ) WITHOUT ROWID;
  CREATE TABLE allocations (
    task_id TEXT NOT NULL,
    run TEXT NOT NULL,
    instance TEXT NOT NULL,
    host TEXT NOT NULL,
    cpu INTEGER NOT NULL,
    memory INTEGER NOT NULL,
    storage INTEGER NOT NULL,
    PRIMARY KEY (task_id, run, instance)
  ) WITHOUT ROWID;
  CREATE INDEX allocations_instance ON allocations (instance);
  CREATE INDEX allocations_host ON allocations (host);
`;

/** A host's row as far as room is concerned. */
export interface FreeRow {
  readonly host: string;
  readonly cpu_free: number;
  readonly memory_free: number;
  readonly storage_free: number;
}

// Instances of one step spread over hosts; then the suggested host; then the one that is left
// fullest.
const PICK = `SELECT host FROM hosts
  WHERE cpu_free >= ?1 AND memory_free >= ?2 AND storage_free >= ?3 AND NOT retired
  ORDER BY host IN (SELECT host FROM allocations WHERE task_id = ?4 AND run = ?5),
    host = ?6 DESC,
    (cpu_free - ?1) * 1.0 / max(cpu, 1) + (memory_free - ?2) * 1.0 / max(memory, 1)
      + (storage_free - ?3) * 1.0 / max(storage, 1),
    host
  LIMIT 1`;
const TAKE = `UPDATE hosts
  SET cpu_free = cpu_free - ?1, memory_free = memory_free - ?2, storage_free = storage_free - ?3
  WHERE host = ?4 AND cpu_free >= ?1 AND memory_free >= ?2 AND storage_free >= ?3`;
const GIVE = `UPDATE hosts
  SET cpu_free = cpu_free + ?, memory_free = memory_free + ?, storage_free = storage_free + ?
  WHERE host = ?`;
const INSERT = 'INSERT INTO allocations VALUES (?, ?, ?, ?, ?, ?, ?)';
const REMOVE = 'DELETE FROM allocations WHERE task_id = ? AND run = ? AND instance = ?';
const COLUMNS = 'task_id AS taskId, run, instance, host, cpu, memory, storage';
const PUT_HOST = `INSERT INTO hosts VALUES (?1, ?2, ?3, ?4, ?2, ?3, ?4, 0)
  ON CONFLICT (host) DO UPDATE SET
    cpu_free = cpu_free + ?2 - cpu, memory_free = memory_free + ?3 - memory,
    storage_free = storage_free + ?4 - storage, cpu = ?2, memory = ?3, storage = ?4,
    retired = 0`;

/** The host that a size goes to, or null. */
export function pickHost(
  tx: SqliteTx,
  need: Size,
  who: { taskId: string; run: string; preferred: string | null },
): string | null {
  const { cpu, memory, storage } = need;
  const { taskId, run, preferred } = who;
  const row = tx.get<FreeRow>(PICK, cpu, memory, storage, taskId, run, preferred);
  return row?.host ?? null;
}

/** Takes a part of a host, unless it has not so much left. */
export function storeAllocation(tx: SqliteTx, allocation: Allocation): boolean {
  const { taskId, run, instance, host, cpu, memory, storage } = allocation;
  if (tx.run(TAKE, cpu, memory, storage, host) === 0) return false;
  tx.run(INSERT, taskId, run, instance, host, cpu, memory, storage);
  return true;
}

/** Gives a part of a host back, if it is still taken. */
export function removeAllocation(tx: SqliteTx, allocation: Allocation): void {
  const { taskId, run, instance, host, cpu, memory, storage } = allocation;
  if (tx.run(REMOVE, taskId, run, instance) > 0) tx.run(GIVE, cpu, memory, storage, host);
}

/** The allocations on all hosts, or those of one instance. */
export function readAllocations(tx: SqliteTx, instance?: string): readonly Allocation[] {
  const select = `SELECT ${COLUMNS} FROM allocations`;
  if (instance === undefined) return tx.all<Allocation>(select);
  return tx.all<Allocation>(`${select} WHERE instance = ?`, instance);
}

/**
 * Makes the inventory hold these hosts. Allocations stay: a host that got too small for its own is
 * an error. A host that is no longer listed stays until its last allocation is released, but takes
 * no new ones.
 */
export function putHosts(tx: SqliteTx, hosts: readonly Host[]): void {
  const kept = new Set(hosts.map(({ host }) => host));
  for (const host of hosts) putHost(tx, host);
  for (const { host } of tx.all<{ host: string }>('SELECT host FROM hosts')) {
    if (!kept.has(host)) retireHost(tx, host);
  }
}

function putHost(tx: SqliteTx, host: Host): void {
  const { cpu, memory, storage } = toThousandths(host);
  try {
    tx.run(PUT_HOST, host.host, cpu, memory, storage);
  } catch (cause) {
    const message = `host ${host.host} is smaller now than what is taken of it`;
    throw new Error(message, { cause });
  }
}

function retireHost(tx: SqliteTx, host: string): void {
  const taken = tx.get('SELECT 1 FROM allocations WHERE host = ?', host);
  if (taken === undefined) tx.run('DELETE FROM hosts WHERE host = ?', host);
  else tx.run('UPDATE hosts SET retired = 1 WHERE host = ?', host);
}
