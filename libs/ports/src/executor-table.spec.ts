import { describe, expect, it } from '@jest/globals';
import type { ExecutorRecord } from './executor-registry.js';
import { ExecutorTable } from './executor-table.js';

const HOUR_MS = 3_600_000;

function record(instance: string, seenAt: number): ExecutorRecord {
  const build = { version: '1', host: 'h', pid: 1 };
  const load = { since: 0, busy: 0, slots: 1 };
  return { instance, module: 'm', ...build, commands: ['c'], parameters: {}, seenAt, ...load };
}

describe('the register of executors in memory', () => {
  it('has those stop that were silent for two hours, and no others', () => {
    const table = new ExecutorTable();
    for (const instance of ['a', 'b', 'c']) table.announce(record(instance, 0));
    table.announce(record('b', HOUR_MS));
    table.announce(record('c', 2 * HOUR_MS));
    expect(namesIn(table)).toEqual(['a', 'b', 'c']);
    table.announce(record('c', 2 * HOUR_MS + 1));
    expect(namesIn(table)).toEqual(['b', 'c']);
    table.announce(record('c', 4 * HOUR_MS));
    expect(namesIn(table)).toEqual(['c']);
    expect(table.listKnown(0).filter(({ stopped }) => stopped)).toHaveLength(1);
  });
});

function namesIn(table: ExecutorTable): readonly string[] {
  return table.list(0).map(({ instance }) => instance);
}
