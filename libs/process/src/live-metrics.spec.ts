import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { type FlowHead, StoreUnavailable } from '#ports';
import { PrometheusObserver } from '#platform';
import { ManualClock, RecordingObserver, sampleTask, settle } from '#testing';
import { liveGauge, retiredFlows } from './live-metrics.js';

it('series of a retired flow leave the metrics, also after an outage of the store', async () => {
  const clock = new ManualClock();
  const observer = new RecordingObserver();
  const metrics = new PrometheusObserver({ processMetrics: false });
  const { flow } = sampleTask().plan;
  let standing: FlowHead['standing'] | null = 'stored';
  const definitions = {
    listHeads: () => {
      if (standing === null) return Promise.reject(new StoreUnavailable('away'));
      return Promise.resolve([{ name: flow, version: 1, standing } as FlowHead]);
    },
  };
  const hasSeries = async (): Promise<boolean> => {
    await metrics.registry.metrics();
    return (await metrics.registry.metrics()).includes(flow);
  };
  const retired = retiredFlows({ clock, definitions, metrics, observer });
  metrics.committed(sampleTask(), [{ kind: 'created', at: 0 } as never]);
  await retired.start();
  await settle();
  expect(await hasSeries()).toBe(true);
  standing = null;
  await clock.advance(60_000);
  expect(await hasSeries()).toBe(true);
  standing = 'retired';
  await clock.advance(60_000);
  expect(await hasSeries()).toBe(false);
  await retired.stop();
  expect(observer.notices).toEqual([]);
  expect(clock.timers).toBe(0);
});

type Read = Parameters<typeof liveGauge>[0]['read'];

function shown(read: Read): { readonly clock: ManualClock; readonly text: () => Promise<string> } {
  const clock = new ManualClock();
  const registry = new Registry();
  const gauge = liveGauge({ name: 'things', help: 'Things', labels: ['kind'], clock, read });
  registry.registerMetric(gauge);
  return { clock, text: () => registry.metrics() };
}

const two = (a: number | null, b: number | null) => [
  { labels: { kind: 'a' }, value: a },
  { labels: { kind: 'b' }, value: b },
];

describe('a gauge that is read elsewhere', () => {
  it('has what was read just now, and nothing of before', async () => {
    const answers = [two(1, 2), two(3, 4).slice(1)];
    const { text } = shown(async () => answers.shift() ?? []);
    expect(await text()).toContain('things{kind="a"} 1\nthings{kind="b"} 2\n');
    const later = await text();
    expect(later).toContain('things{kind="b"} 4\n');
    expect(later).not.toContain('kind="a"');
  });

  it('keeps the value that cannot be read, and no other', async () => {
    const answers = [two(1, 2), two(null, 3)];
    const { text } = shown(async () => answers.shift() ?? []);
    await text();
    expect(await text()).toContain('things{kind="a"} 1\nthings{kind="b"} 3\n');
  });

  it('has no value that was never read', async () => {
    const { text } = shown(async () => two(null, 0));
    const only = await text();
    expect(only).toContain('things{kind="b"} 0\n');
    expect(only).not.toContain('kind="a"');
  });

  it('keeps all values when nothing answers, and waits two seconds for it at most', async () => {
    const answers = [Promise.resolve(two(1, 2)), new Promise<never>(() => {})];
    const { clock, text } = shown(() => answers.shift() ?? Promise.reject(new Error('away')));
    const before = await text();
    const hanging = text();
    await settle();
    await clock.advance(2_000);
    expect(await hanging).toBe(before);
    expect(await text()).toBe(before);
  });
});
