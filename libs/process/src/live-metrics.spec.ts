import { expect, it } from '@jest/globals';
import { type FlowHead, StoreUnavailable } from '#ports';
import { PrometheusObserver } from '#platform';
import { ManualClock, RecordingObserver, sampleTask, settle } from '#testing';
import { retiredFlows } from './live-metrics.js';

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
