import { describe, expect, it } from '@jest/globals';
import type { BarrierContext } from '#ports';
import type { Demand, Host, Inventory } from './inventory.js';

/** Where inventories under test are kept. */
interface InventoryPlace {
  /** Opens the inventory, as another process would. */
  open(): Promise<Inventory>;
  remove(): Promise<void>;
}

type Body = (inventory: Inventory, place: InventoryPlace) => Promise<void>;

const HOSTS: readonly Host[] = [
  { host: 'small', cpu: 8, memory: 32, storage: 500 },
  { host: 'big', cpu: 64, memory: 512, storage: 5_000 },
];

function attempt(token: number, taskId = 't', run = 'deduct'): BarrierContext {
  return { taskId, run, fencingToken: token };
}

function demand(cpu: number, given: Partial<Demand> = {}): Demand {
  return { instances: ['i'], preferred: null, size: { cpu, memory: 8, storage: 50 }, ...given };
}

async function freeCpu(inventory: Inventory): Promise<Record<string, number>> {
  const hosts = await inventory.listHosts();
  return Object.fromEntries(hosts.map(({ host, cpu }) => [host, cpu.free]));
}

const WHOLE = { small: 8, big: 64 };

/** The contract of every inventory. */
export function inventoryContract(
  name: string,
  newPlace: (hosts: readonly Host[]) => Promise<InventoryPlace>,
): void {
  const rule = (ruleName: string, body: Body) => {
    it(ruleName, async () => {
      const place = await newPlace(HOSTS);
      const inventory = await place.open();
      try {
        await body(inventory, place);
      } finally {
        await inventory.close();
        await place.remove();
      }
    });
  };
  describe(`inventory contract: ${name}`, () => {
    describeTaking(rule);
    describeRepetition(rule);
    describeReleasing(rule);
  });
}

function describeTaking(rule: (name: string, body: Body) => void): void {
  rule('an allocation goes to the host that is left fullest', async (inventory) => {
    expect(await inventory.findRoom(demand(4).size)).toBe('small');
    const taken = await inventory.take(attempt(1), demand(4));
    expect(taken).toMatchObject([{ host: 'small', instance: 'i', taskId: 't', run: 'deduct' }]);
    const [big, small] = await inventory.listHosts();
    expect(big).toMatchObject({ host: 'big', cpu: { total: 64, free: 64 }, allocations: [] });
    expect(small).toEqual({
      host: 'small',
      cpu: { total: 8, free: 4 },
      memory: { total: 32, free: 24 },
      storage: { total: 500, free: 450 },
      allocations: [{ taskId: 't', run: 'deduct', instance: 'i', cpu: 4, memory: 8, storage: 50 }],
    });
  });

  rule('the suggested host is taken while it has room', async (inventory) => {
    const preferred = { preferred: 'big' };
    expect(await inventory.take(attempt(1), demand(4, preferred))).toMatchObject([{ host: 'big' }]);
    const elsewhere = demand(10, { preferred: 'small' });
    expect(await inventory.take(attempt(1, 'u'), elsewhere)).toMatchObject([{ host: 'big' }]);
  });

  rule('the members of a cluster go to different hosts while they can', async (inventory) => {
    const taken = await inventory.take(attempt(1), demand(4, { instances: ['a', 'b', 'c'] }));
    expect(taken.map(({ host, instance }) => [instance, host])).toEqual([
      ['a', 'small'],
      ['b', 'big'],
      ['c', 'small'],
    ]);
  });

  rule('no host goes below zero, however many ask at once', async (inventory, place) => {
    const other = await place.open();
    const asked = await Promise.allSettled(
      Array.from({ length: 24 }, (_, n) =>
        (n % 2 ? inventory : other).take(attempt(1, `t${n}`), demand(4)),
      ),
    );
    await other.close();
    // 2 fit on the small host, 16 on the big one.
    expect(asked.filter(({ status }) => status === 'fulfilled')).toHaveLength(18);
    expect(await freeCpu(inventory)).toEqual({ small: 0, big: 0 });
  });

  rule('what does not fit as a whole leaves nothing, and says what lacks', async (inventory) => {
    const cluster = demand(40, { instances: ['a', 'b'] });
    await expect(inventory.take(attempt(1), cluster)).rejects.toThrow(
      /not enough cpu \(most free on one host: /,
    );
    expect(await freeCpu(inventory)).toEqual(WHOLE);
    expect(await inventory.findRoom(demand(65).size)).toBeNull();
  });

  rule('fractions add up exactly', async (inventory) => {
    for (let n = 0; n < 10; n++) await inventory.take(attempt(1, `t${n}`), demand(0.1));
    for (let n = 0; n < 10; n++) await inventory.undoTake(attempt(2, `t${n}`));
    expect(await freeCpu(inventory)).toEqual(WHOLE);
  });
}

function describeRepetition(rule: (name: string, body: Body) => void): void {
  rule('a step takes once however often it is repeated', async (inventory) => {
    const first = await inventory.take(attempt(1), demand(4));
    expect(await inventory.take(attempt(2), demand(4))).toEqual(first);
    await Promise.allSettled([3, 4, 5].map((token) => inventory.take(attempt(token), demand(4))));
    expect(await freeCpu(inventory)).toEqual({ small: 4, big: 64 });
  });

  rule('giving back happens once, and a late take after it not at all', async (inventory) => {
    await inventory.take(attempt(1), demand(4));
    await inventory.take(attempt(1, 'other'), demand(4));
    await inventory.undoTake(attempt(3));
    await inventory.undoTake(attempt(4));
    await expect(inventory.take(attempt(2), demand(4))).rejects.toMatchObject({
      name: 'Superseded',
    });
    expect(await freeCpu(inventory)).toEqual({ small: 4, big: 64 });
  });

  rule('giving back what was never taken gives nothing', async (inventory) => {
    await inventory.undoTake(attempt(1));
    expect(await freeCpu(inventory)).toEqual(WHOLE);
    await expect(inventory.take(attempt(1), demand(4))).rejects.toMatchObject({
      name: 'Superseded',
    });
  });
}

function describeReleasing(rule: (name: string, body: Body) => void): void {
  rule('an instance is released once, and stays released for its own task', async (inventory) => {
    await inventory.take(attempt(1), demand(4));
    const released = await inventory.release(attempt(1, 'deletion'), 'i');
    expect(released).toMatchObject([{ taskId: 't', host: 'small' }]);
    expect(await inventory.release(attempt(2, 'deletion'), 'i')).toEqual(released);
    await inventory.undoTake(attempt(3));
    expect(await freeCpu(inventory)).toEqual(WHOLE);
  });

  rule('releasing what is not there gives nothing', async (inventory) => {
    expect(await inventory.release(attempt(1), 'nobody')).toEqual([]);
  });

  rule('an undone release belongs to its first owner again', async (inventory) => {
    await inventory.take(attempt(1), demand(4));
    await inventory.release(attempt(1, 'deletion'), 'i');
    await inventory.undoRelease(attempt(2, 'deletion'));
    await inventory.undoRelease(attempt(3, 'deletion'));
    expect(await freeCpu(inventory)).toEqual({ small: 4, big: 64 });
    const small = (await inventory.listHosts()).find(({ host }) => host === 'small');
    expect(small?.allocations).toMatchObject([{ taskId: 't', instance: 'i' }]);
  });

  rule('an undone release never takes a host below zero', async (inventory) => {
    await inventory.take(attempt(1), demand(8, { preferred: 'small' }));
    await inventory.release(attempt(1, 'deletion'), 'i');
    await inventory.take(attempt(1, 'other'), demand(8, { preferred: 'small' }));
    await expect(inventory.undoRelease(attempt(2, 'deletion'))).rejects.toMatchObject({
      name: 'NoRoom',
    });
    expect(await freeCpu(inventory)).toEqual({ small: 0, big: 64 });
  });
}
