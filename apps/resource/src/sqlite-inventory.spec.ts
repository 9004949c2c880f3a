import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { SystemClock } from '#testing';
import { inventoryContract } from './inventory-suite-spec.js';
import type { Host } from './inventory.js';
import { openSqliteInventory } from './sqlite-inventory.js';

const clock = new SystemClock();

function newFile() {
  const folder = mkdtempSync(path.join(tmpdir(), 'backstep-inventory-'));
  return {
    file: path.join(folder, 'resource.db'),
    remove: () => rmSync(folder, { recursive: true }),
  };
}

inventoryContract('SQLite', (hosts) => {
  const { file, remove } = newFile();
  return Promise.resolve({
    open: () => openSqliteInventory({ clock, file, hosts }),
    remove: () => Promise.resolve(remove()),
  });
});

describe('the hosts of a new file', () => {
  const host = (name: string, cpu: number): Host => ({ host: name, cpu, memory: 8, storage: 8 });
  const demand = { instances: ['i'], preferred: 'a', size: { cpu: 3, memory: 1, storage: 1 } };

  async function reopened(first: readonly Host[], second: readonly Host[]) {
    const { file, remove } = newFile();
    const before = await openSqliteInventory({ clock, file, hosts: first });
    await before.take({ taskId: 't', run: 's', fencingToken: 1 }, demand);
    await before.close();
    try {
      const after = await openSqliteInventory({ clock, file, hosts: second });
      const hosts = await after.listHosts();
      const room = await after.findRoom({ cpu: 1, memory: 1, storage: 1 });
      await after.close();
      return { hosts: hosts.map(({ host: name, cpu }) => [name, cpu.total, cpu.free]), room };
    } finally {
      remove();
    }
  }

  it('grow and shrink around what is taken', async () => {
    const { hosts } = await reopened([host('a', 4)], [host('a', 10), host('b', 2)]);
    expect(hosts).toEqual([
      ['a', 10, 7],
      ['b', 2, 2],
    ]);
  });

  it('may not be smaller than what is taken', async () => {
    await expect(reopened([host('a', 4)], [host('a', 2)])).rejects.toThrow(
      'host a is smaller now than what is taken of it',
    );
  });

  it('keep a host that is gone while something of it is taken, but take no more of it', async () => {
    const { hosts, room } = await reopened([host('a', 4), host('c', 1)], [host('b', 2)]);
    expect(hosts.map(([name]) => name)).toEqual(['a', 'b']);
    expect(room).toBe('b');
  });
});
