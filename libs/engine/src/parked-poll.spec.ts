import { afterEach, describe, expect, it } from '@jest/globals';
import { chain, type EngineWorld, MemoryStore, settle, type WorldOptions } from '#testing';
import type { PollAnswer } from './work-desk.js';
import { stopWorlds, world } from './worlds-spec.js';

stopWorlds();
const open: AbortController[] = [];
afterEach(() => open.splice(0).forEach((socket) => socket.abort()));

const MANY = 1_000;

/** Methods that nobody calls from outside. */
const OWN = ['constructor', 'open'];

/** A store that notes by name what is asked of it. */
class CountingStore extends MemoryStore {
  readonly calls: string[] = [];

  constructor() {
    super();
    const noted = (name: string, call: (...args: never[]) => unknown) => {
      return (...args: never[]): unknown => {
        this.calls.push(name);
        return call.apply(this, args);
      };
    };
    const methods = Object.entries(Object.getOwnPropertyDescriptors(MemoryStore.prototype));
    for (const [name, { value }] of methods) {
      if (typeof value !== 'function' || OWN.includes(name)) continue;
      Object.defineProperty(this, name, { value: noted(name, value as () => unknown) });
    }
  }

  /** Names of the calls since the last time, but for those that keep the process alive. */
  taken(): readonly string[] {
    return this.calls.splice(0).filter((name) => !name.endsWith('Session'));
  }
}

interface Parked {
  readonly made: EngineWorld;
  readonly store: CountingStore;
  readonly answered: PollAnswer[];
}

/** A gateway at which workers wait. */
async function parkedAt(options: WorldOptions, count = MANY): Promise<Parked> {
  const store = new CountingStore();
  const made = await world({ executor: false, ...options, store });
  const answered: PollAnswer[] = [];
  for (let n = 0; n < count; n += 1) {
    const socket = new AbortController();
    open.push(socket);
    const order = { worker: `w${n}`, modules: ['m'], max: 1, waitMs: 30_000, leaseMs: 30_000 };
    void made.engine.desk.poll(order, socket.signal).then((answer) => answered.push(answer));
  }
  await settle();
  expect(made.engine.desk.parked).toBe(count);
  return { made, store, answered };
}

describe('polls that wait', () => {
  it('ask nothing of the store', async () => {
    const { made, store } = await parkedAt({ governance: false });
    store.taken();
    await made.clock.advance(29_000);
    expect(made.engine.desk.parked).toBe(MANY);
    expect(store.taken()).toEqual([]);
  });

  it('cost a gateway no more reads than a single one does', async () => {
    const reads = async (count: number): Promise<readonly string[]> => {
      const { made, store } = await parkedAt({}, count);
      store.taken();
      await made.clock.advance(29_000);
      return store.taken().filter((name) => name !== 'announce');
    };
    expect(await reads(MANY)).toEqual(await reads(1));
  });

  it('are woken one for each action, by one write', async () => {
    const { answered, made, store } = await parkedAt({ governance: false });
    for (const count of [1, 2]) {
      store.taken();
      await made.engine.submit({ definition: chain(['a']), version: 1 }, { parameters: {} });
      await settle();
      expect(answered.map(({ items }) => items.length)).toEqual(Array(count).fill(1));
      expect(made.engine.desk.parked).toBe(MANY - count);
      const writes = store.taken().filter((name) => name === 'insert' || name === 'commit');
      expect(writes).toEqual(['insert', 'commit']);
    }
  });
});

describe('workers that come all at once', () => {
  it('are looked up together', async () => {
    const { store } = await parkedAt({ governance: false });
    const looks = store.taken().filter((name) => name === 'listExecutors');
    expect(looks.length).toBeLessThanOrEqual(2);
  });
});
