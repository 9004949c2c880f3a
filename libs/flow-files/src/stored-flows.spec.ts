import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { action, flow, ManualClock, MemoryStore, RecordingObserver } from '#testing';
import { StoredFlows } from './stored-flows.js';

let clock: ManualClock;
let store: MemoryStore;
let observer: RecordingObserver;
/** As two gateways have them. */
let here: StoredFlows;
let there: StoredFlows;

beforeEach(async () => {
  clock = new ManualClock();
  store = new MemoryStore();
  observer = new RecordingObserver();
  const { commandDefaults, definitions } = store;
  const options = { store, commandDefaults, definitions, clock, observer };
  here = new StoredFlows(options);
  there = new StoredFlows(options);
  await there.start();
});

afterEach(() => there.stop());

function put(command: string): Promise<unknown> {
  const steps = [{ name: 'a', needs: [], normal: action(`m.${command}`), rollback: null }];
  const definition = flow(steps, { name: 'a' });
  return store.definitions.putFlow({ definition, hash: command, now: clock.now() });
}

const commandOf = (flows: StoredFlows) => flows.find('a')?.definition.steps[0]?.normal?.command;

describe('a stored flow', () => {
  it('is known to a process that looks, and soon to all others', async () => {
    await put('x');
    await here.look();
    expect([commandOf(here), commandOf(there)]).toEqual(['x', undefined]);
    await clock.advance(2_000);
    expect(commandOf(there)).toBe('x');
    await put('y');
    await clock.advance(2_000);
    expect([commandOf(there), there.find('a')?.version]).toEqual(['y', 2]);
    expect(there.list()).toEqual([there.find('a')]);
  });

  it('is one object for as long as it is the newest, frozen all the way down', async () => {
    await put('x');
    await there.look();
    const found = there.find('a');
    await there.look();
    expect(there.find('a')).toBe(found);
    expect(await there.findVersion('a', 1)).toBe(found);
    expect(Object.isFrozen(found?.definition.steps)).toBe(true);
    expect(await there.findVersion('a', 2)).toBeNull();
  });

  it('that is retired is not found, and is found again once it is back', async () => {
    await put('x');
    await store.definitions.retireFlow('a');
    await there.look();
    expect([there.find('a'), there.isRetired('a')]).toEqual([undefined, true]);
    await put('x');
    await there.look();
    expect([there.find('a')?.version, there.isRetired('a')]).toEqual([2, false]);
  });

  it('that a file has taken over is left to the file', async () => {
    await put('x');
    await store.saveFlow(flow([], { name: 'a' }), 'of a file', clock.now());
    await there.look();
    expect([there.find('a'), there.isRetired('a')]).toEqual([undefined, false]);
  });

  it('stays known while the store does not answer, which is told once', async () => {
    await put('x');
    await there.look();
    store.down = true;
    await clock.advance(6_000);
    expect(commandOf(there)).toBe('x');
    const told = observer.notices.filter(({ name }) => name === 'flow_look_failed');
    expect(told).toHaveLength(1);
    store.down = false;
    await put('y');
    await clock.advance(2_000);
    expect(commandOf(there)).toBe('y');
  });
});
