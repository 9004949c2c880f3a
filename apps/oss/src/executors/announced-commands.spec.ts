import { beforeEach, describe, expect, it } from '@jest/globals';
import { type ExecutorRecord, ExecutorTable, StoreUnavailable } from '#ports';
import { ManualClock } from '#testing';
import { AnnouncedCommands } from './announced-commands.js';

const SCHEMA = { type: 'object' };
const OTHER = { type: 'object', required: ['a'] };

let clock: ManualClock;
let records: ExecutorRecord[] | Error;
let asked: number;
let commands: AnnouncedCommands;

beforeEach(() => {
  clock = new ManualClock();
  [records, asked] = [[], 0];
  commands = new AnnouncedCommands({
    clock,
    list: async () => {
      asked += 1;
      if (records instanceof Error) throw records;
      return records;
    },
  });
});

function record(instance: string, more: Partial<ExecutorRecord> = {}): ExecutorRecord {
  const load = { since: 0, seenAt: 0, busy: 0, slots: 1, host: 'h', pid: 1, version: '1' };
  return { ...load, instance, module: 'm', commands: ['a'], parameters: { a: SCHEMA }, ...more };
}

describe('commands that were announced', () => {
  it('are those of every executor together', async () => {
    const other = record('two', { module: 'n', commands: ['x'], parameters: {} });
    records = [record('one'), record('three', { commands: ['a', 'b'] }), other];
    const known = await commands.now();
    expect(known.modules()).toEqual(['m', 'n']);
    expect([known.commands('m'), known.commands('n'), known.commands('o')]).toEqual([
      ['a', 'b'],
      ['x'],
      [],
    ]);
    expect(known.isPartial).toBe(true);
  });

  it('take what any of the builds takes; one that does not say takes anything', async () => {
    records = [record('one'), record('two'), record('three', { parameters: { a: OTHER } })];
    expect((await commands.now()).schemas?.('m', 'a')).toEqual([SCHEMA, OTHER]);
    const { parameters: _, ...silent } = record('four');
    records = [record('one'), silent, record('two')];
    await clock.advance(10_000);
    expect((await commands.fresh()).schemas?.('m', 'a')).toEqual([]);
  });

  it('return what any of the builds returns', async () => {
    records = [record('one', { outputs: { a: SCHEMA } }), record('two', { outputs: { a: OTHER } })];
    expect((await commands.now()).outputs?.('m', 'a')).toEqual([SCHEMA, OTHER]);
    records = [record('one', { outputs: { a: SCHEMA } }), record('two')];
    await clock.advance(10_000);
    expect((await commands.fresh()).outputs?.('m', 'a')).toEqual([]);
  });

  it('have the schemas of those that are there, whatever has stopped before them', async () => {
    const table = new ExecutorTable();
    commands = new AnnouncedCommands({ clock, list: async () => table.listKnown(0) });
    const schemas = { commands: ['a', 'b'], outputs: { a: OTHER } };
    table.announce(record('one', schemas));
    table.withdraw('one', 'm');
    expect((await commands.now()).schemas?.('m', 'a')).toEqual([]);
    await clock.advance(10_000);
    table.announce(record('two'));
    table.announce(record('three', { outputs: { a: OTHER } }));
    table.withdraw('two', 'm');
    const known = await commands.fresh();
    expect(known.commands('m')).toEqual(['a', 'b']);
    expect([known.schemas?.('m', 'a'), known.outputs?.('m', 'a')]).toEqual([[SCHEMA], [OTHER]]);
    table.announce(record('four'));
    await clock.advance(10_000);
    expect((await commands.fresh()).outputs?.('m', 'a')).toEqual([]);
  });

  it('are known at once, and asked for anew behind that when they are old', async () => {
    records = [record('one')];
    const first = await commands.now();
    records = [record('one', { commands: ['a', 'b'] })];
    await clock.advance(4_000);
    expect(commands.now()).toBe(first);
    expect(asked).toBe(1);
    await clock.advance(2_000);
    expect(commands.now()).toBe(first);
    expect(asked).toBe(2);
    expect((await commands.fresh()).commands('m')).toEqual(['a', 'b']);
  });

  it('are the same object while nothing has changed', async () => {
    records = [record('one'), record('two', { module: 'n' })];
    const first = await commands.now();
    records = [{ ...record('two', { module: 'n' }), busy: 3, seenAt: 9 }, record('one')];
    await clock.advance(10_000);
    expect(await commands.fresh()).toBe(first);
    expect(asked).toBe(2);
  });

  it('are asked for once by all that want to know at one moment, or within a second', async () => {
    await Promise.all([commands.now(), commands.fresh(), commands.fresh()]);
    await clock.advance(900);
    await commands.fresh();
    expect(asked).toBe(1);
  });

  it('are what was known before while the store is away, and else nobody', async () => {
    records = new StoreUnavailable('away');
    expect((await commands.now()).modules()).toEqual([]);
    records = [record('one')];
    const known = await commands.fresh();
    expect(known.modules()).toEqual(['m']);
    records = new StoreUnavailable('away');
    await clock.advance(10_000);
    expect(await commands.fresh()).toBe(known);
  });
});
