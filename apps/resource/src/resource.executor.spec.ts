import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { commandContext, SystemClock } from '#testing';
import type { Inventory } from './inventory.js';
import { ResourceExecutor } from './resource.executor.js';
import { openSqliteInventory } from './sqlite-inventory.js';

describe('the commands of module resource', () => {
  const size = { cpu: 4, memory: 8, storage: 500 };
  let folder: string;
  let inventory: Inventory;
  let executor: ResourceExecutor;

  beforeEach(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'backstep-resource-'));
    const hosts = ['a', 'b'].map((host) => ({ host, cpu: 8, memory: 64, storage: 1_000 }));
    const file = path.join(folder, 'resource.db');
    inventory = await openSqliteInventory({ clock: new SystemClock(), file, hosts });
    executor = new ResourceExecutor(inventory);
  });

  afterEach(async () => {
    await inventory.close();
    rmSync(folder, { recursive: true });
  });

  const free = async () => (await inventory.listHosts()).map(({ cpu }) => cpu.free);

  it('check suggests a host and takes nothing', async () => {
    expect(await executor.checkResource(size)).toEqual({ host: 'a' });
    expect(await free()).toEqual([8, 8]);
  });

  it('check fails for good and names what lacks', async () => {
    await expect(executor.checkResource({ ...size, cpu: 9 })).rejects.toMatchObject({
      name: 'TerminalError',
      message:
        'no host has room for 9 cores, 8 GiB memory and 500 GiB storage: ' +
        'not enough cpu (most free on one host: 8)',
    });
  });

  it('deduct takes the suggested host for the instance, restore gives it back', async () => {
    const parameters = { ...size, host: 'b', instance: 'db-1' };
    const context = commandContext({ parameters });
    expect(await executor.deductResource(parameters, context)).toEqual({
      host: 'b',
      allocations: [{ host: 'b', instance: 'db-1', ...size }],
    });
    expect(await free()).toEqual([8, 4]);
    const back = commandContext({ direction: 'rollback', fencingToken: 2 });
    expect(await executor.restoreResource({}, back)).toBeUndefined();
    expect(await free()).toEqual([8, 8]);
  });

  it('deduct takes for every member of a cluster', async () => {
    const member = (instance: string) => ({ instance, role: 'replica' });
    const results = { one: { 'replica-1': member('x-r1') }, two: { 'replica-2': member('x-r2') } };
    await executor.deductResource(size, commandContext({ results }));
    expect(await free()).toEqual([4, 4]);
  });

  it('deduct takes for what steps have made, not for what a request says they have', async () => {
    const parameters = { ...size, x: { instance: 'ghost' }, instance: 'ghost' };
    const results = { check: { host: 'a' }, init: { instance: 'db-1', endpoint: 'h:1' } };
    const taken = await executor.deductResource(size, commandContext({ parameters, results }));
    expect(taken).toMatchObject({ allocations: [{ instance: 'db-1' }] });
    const alone = commandContext({ taskId: 'other', parameters: { x: { instance: 'ghost' } } });
    const { allocations } = (await executor.deductResource(size, alone)) ?? {};
    expect(allocations).toEqual([{ host: 'a', ...size }]);
  });

  it.each(['cpu', 'memory', 'storage'])('deduct needs %s', async (name) => {
    const attempt = executor.deductResource({ ...size, [name]: null }, commandContext());
    await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
  });

  it('deduct may be tried again where there is no room', async () => {
    const wanted = { ...size, cpu: 9 };
    const attempt = executor.deductResource(wanted, commandContext());
    await expect(attempt).rejects.toMatchObject({ name: 'RetryableError' });
  });

  it('restore as a step of its own releases an instance, deduct as its rollback undoes that', async () => {
    const parameters = { ...size, instance: 'db-1' };
    await executor.deductResource(parameters, commandContext({ parameters }));
    const deletion = commandContext({ taskId: 'deletion', parameters });
    expect(await executor.restoreResource({ instance: 'db-1' }, deletion)).toEqual({
      released: [{ host: 'a', instance: 'db-1', ...size }],
    });
    expect(await free()).toEqual([8, 8]);
    await executor.deductResource(parameters, {
      ...deletion,
      direction: 'rollback',
      fencingToken: 2,
    });
    expect(await free()).toEqual([4, 8]);
  });

  it('restore as a step of its own needs an instance', async () => {
    const attempt = executor.restoreResource({}, commandContext());
    await expect(attempt).rejects.toMatchObject({ name: 'TerminalError' });
  });
});
