import { describe, expect, it } from '@jest/globals';
import { Registry } from 'prom-client';
import type { FlowVersion } from '#core';
import { StoreUnavailable } from '#ports';
import { action, flow } from '#testing';
import { addAwaitedMetrics, addExecutorMetrics, WantedModules } from './executor-metrics.js';

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
    addExecutorMetrics(registry, new WantedModules(() => flows), async () => seen);
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

  it('are left out while they cannot be read', async () => {
    const registry = new Registry();
    const wanted = new WantedModules(() => [version('one', 'mysql')]);
    addExecutorMetrics(registry, wanted, () => Promise.reject(new StoreUnavailable('away')));
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
