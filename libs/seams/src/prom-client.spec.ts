import { expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import { type ReadMetric, registerMetric } from './prom-client.js';

it('a registry prints and resets a metric that is none of its own', async () => {
  const registry = new Registry();
  let isReset = false;
  const about = { name: 'seen', help: 'Looks.', type: 'counter', aggregator: 'sum' } as const;
  const values = [{ labels: { flow: 'a' }, value: 3 }];
  const metric: ReadMetric = {
    ...about,
    get: () => Promise.resolve({ ...about, values }),
    reset: () => void (isReset = true),
  };
  registerMetric(registry, metric);
  expect(await registry.metrics()).toContain('# TYPE seen counter\nseen{flow="a"} 3\n');
  registry.resetMetrics();
  expect(isReset).toBe(true);
});
