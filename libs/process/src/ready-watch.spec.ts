import { beforeEach, describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { readiness } from '#http-server';
import { ManualClock, settle } from '#testing';
import { ReadyWatch } from './ready-watch.js';

let check = (): Promise<void> => Promise.resolve();
const checks = [
  { name: 'store', check: () => check() },
  { name: 'broker', check: () => Promise.resolve() },
];
let clock: ManualClock;
let registry: Registry;
let watch: ReadyWatch;

beforeEach(async () => {
  check = () => Promise.resolve();
  clock = new ManualClock();
  registry = new Registry();
  await readiness(checks, clock);
  watch = new ReadyWatch({ checks, clock, registry });
  watch.start();
});

describe('the watch over readiness', () => {
  it('tells Prometheus of each check', async () => {
    check = () => Promise.reject(new Error('away'));
    const text = await registry.metrics();
    expect(text).toContain('backstep_ready{check="store"} 0\n');
    expect(text).toContain('backstep_ready{check="broker"} 1\n');
    check = () => Promise.resolve();
    expect(await registry.metrics()).toContain('backstep_ready{check="store"} 1\n');
  });

  it('is answered though a server never does', async () => {
    check = () => new Promise(() => {});
    const text = registry.metrics();
    await settle();
    await clock.advance(2_000);
    expect(await text).toContain('backstep_ready{check="store"} 0\n');
  });

  it('knows since when a check fails though nobody asked', async () => {
    check = () => Promise.reject(new Error('away'));
    await clock.advance(5_000);
    const since = new Date(clock.now()).toISOString();
    await clock.advance(60_000);
    const { checks: results } = await readiness(checks, clock);
    expect(results).toEqual([
      { name: 'store', ready: false, message: 'away', since },
      { name: 'broker', ready: true, message: null },
    ]);
  });

  it('forgets that when the check succeeds', async () => {
    check = () => Promise.reject(new Error('away'));
    await clock.advance(5_000);
    check = () => Promise.resolve();
    await clock.advance(5_000);
    check = () => Promise.reject(new Error('away again'));
    await clock.advance(5_000);
    const [store] = (await readiness(checks, clock)).checks;
    expect(store?.since).toBe(new Date(clock.now()).toISOString());
  });

  it('ends', async () => {
    watch.stop();
    watch.stop();
    expect(clock.timers).toBe(0);
  });
});
