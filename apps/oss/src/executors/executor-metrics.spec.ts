import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { FlowVersion } from '#core';
import { StoreUnavailable } from '#ports';
import { action, flow, ManualClock } from '#testing';
import { addAwaitedMetrics, addExecutorMetrics } from './executor-metrics.js';
import { WantedModules } from './wanted-modules.js';

const clock = new ManualClock();

function version(name: string, module: string): FlowVersion {
  const normal = { ...action('m.a'), module };
  const definition = flow([{ name: 'a', needs: [], normal, rollback: null }], { name });
  return { definition, version: 1, hash: name, createdAt: 0 };
}

describe('the executors of modules', () => {
  it('are counted, and are none of a module that only a flow names', async () => {
    const registry = new Registry();
    const flows = [version('one', 'mysql'), version('two', 'vm'), version('three', 'vm')];
    const seen = ['mysql', 'mysql', 'lab'].map((module) => ({ module }));
    const wanted = new WantedModules(() => flows);
    addExecutorMetrics(registry, { clock, wanted, seen: async () => seen });
    const text = await registry.metrics();
    expect(text).toContain('backstep_executors{module="mysql"} 2\n');
    expect(text).toContain('backstep_executors{module="lab"} 1\n');
    expect(text).toContain('backstep_executors{module="vm"} 0\n');
    seen.pop();
    flows.splice(1);
    const later = await registry.metrics();
    expect(later).not.toContain('"vm"');
    expect(later).not.toContain('"lab"');
  });

  it('stay as they were last read while the store is away', async () => {
    const registry = new Registry();
    const wanted = new WantedModules(() => [version('one', 'mysql')]);
    let isAway = false;
    const seen = async (): Promise<readonly { readonly module: string }[]> => {
      if (isAway) throw new StoreUnavailable('away');
      return [{ module: 'mysql' }];
    };
    addExecutorMetrics(registry, { clock, wanted, seen });
    const before = await registry.metrics();
    isAway = true;
    expect(await registry.metrics()).toBe(before);
    expect(before).toContain('backstep_executors{module="mysql"} 1\n');
  });

  it('are left out while they were never read', async () => {
    const registry = new Registry();
    const wanted = new WantedModules(() => [version('one', 'mysql')]);
    const seen = (): Promise<never> => Promise.reject(new StoreUnavailable('away'));
    addExecutorMetrics(registry, { clock, wanted, seen });
    expect(await registry.metrics()).not.toContain('backstep_executors{');
  });
});

it('commands that steps wait for are shown while they do', async () => {
  const registry = new Registry();
  const awaited = [{ module: 'vm', command: 'start', tasks: 2 }];
  addAwaitedMetrics(registry, () => awaited);
  const line = 'backstep_commands_awaited{module="vm",command="start"} 2\n';
  expect(await registry.metrics()).toContain(line);
  awaited.pop();
  expect(await registry.metrics()).not.toContain('{module="vm"');
});
