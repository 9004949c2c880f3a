import assert from 'node:assert/strict';
import type { ExecutorRecord, ExecutorRegistry } from '#ports';
import type { StoreRule } from './store-fixture.js';

/** Rules of the register of executors. */
export function describeExecutors(rule: StoreRule): void {
  rule('announced executors are listed, of one module or of all', async ({ executors }) => {
    const [one, two, other] = [record('i1', 'mysql'), record('i2', 'mysql'), record('i1', 'lab')];
    for (const each of [one, two, other]) await executors.announce(each);
    assert.deepEqual(await listed(executors, 0), sorted([one, two, other]));
    assert.deepEqual(await listed(executors, 0, 'mysql'), sorted([one, two]));
    assert.deepEqual(await listed(executors, 0, 'resource'), []);
  });

  rule('a new announcement takes the place of the one before', async ({ executors }) => {
    await executors.announce(record('i1', 'mysql', 100));
    const newer = { commands: ['drop'], version: '2', build: 'rent@1.4.2' };
    const renewed = { ...record('i1', 'mysql', 200), ...newer };
    await executors.announce(renewed);
    assert.deepEqual(await executors.listExecutors(0), [renewed]);
  });

  rule('an executor of a build that tells no schemas is listed as it is', async (store) => {
    const { outputs: _, parameters: __, ...older } = record('i1', 'mysql');
    await store.executors.announce(older);
    assert.deepEqual(await store.executors.listExecutors(0), [older]);
  });

  rule('an executor that has been silent is not listed', async ({ executors }) => {
    await executors.announce(record('i1', 'mysql', 100));
    assert.equal((await executors.listExecutors(100)).length, 1);
    assert.equal((await executors.listExecutors(101)).length, 0);
  });

  rule('a withdrawn executor is gone, the other modules of its process are not', async (store) => {
    const { executors } = store;
    await executors.announce(record('i1', 'mysql'));
    await executors.announce(record('i1', 'lab'));
    await executors.withdraw('i1', 'mysql');
    await executors.withdraw('i1', 'mysql');
    await executors.withdraw('nobody', 'mysql');
    assert.deepEqual(await executors.listExecutors(0), [record('i1', 'lab')]);
  });

  rule('the commands of a withdrawn executor stay known, once for each build', async (store) => {
    const { executors } = store;
    const one = record('i1', 'mysql', 100);
    const other: ExecutorRecord = { ...record('i2', 'mysql', 150), secrets: { drop: ['key'] } };
    for (const each of [one, other, record('i3', 'mysql', 200), record('i4', 'lab')]) {
      await executors.announce(each);
    }
    for (const instance of ['i1', 'i2', 'i3']) await executors.withdraw(instance, 'mysql');
    const known = await executors.listKnown(0, 'mysql');
    assert.deepEqual(sorted(known), [other, record('i3', 'mysql', 200)].map(withdrawn));
    assert.deepEqual(await executors.listKnown(201, 'mysql'), []);
    assert.equal((await executors.listKnown(0)).length, 3);
    assert.deepEqual(await executors.listExecutors(0), [record('i4', 'lab')]);
  });

  rule('what a worker could do is known when its store is opened again', async (store) => {
    const secrets = { check_resource: ['key'] };
    // A store may forget those that have been silent for long when it is opened.
    const seenAt = 4_000_000_000_000;
    const worker: ExecutorRecord = { ...record('w/1', 'shop', seenAt), worker: true, secrets };
    await store.executors.announce(worker);
    await store.executors.announce({ ...worker, instance: 'w/2', commands: ['ship'] });
    const { executors } = await store.reopen();
    const known = await executors.listKnown(0, 'shop');
    const commands = new Set(known.flatMap((one) => one.commands));
    assert.deepEqual(commands, new Set([...worker.commands, 'ship']));
    assert.ok(known.some((one) => one.secrets?.['check_resource']?.includes('key')));
    assert.deepEqual(await executors.listKnown(0, 'mysql'), []);
    await executors.announce({ ...record('w/3', 'shop', seenAt), worker: true });
    const living = (await executors.listKnown(seenAt, 'shop')).find(({ instance }) => {
      return instance === 'w/3';
    });
    assert.ok(living?.parameters?.['check_resource']);
  });
}

function record(instance: string, module: string, seenAt = 100): ExecutorRecord {
  const commands = ['check_resource', 'init.instance'];
  const load = { since: 7, busy: 3, slots: 64 };
  const schema = { type: 'object', properties: { 'a.b': { $ref: '#/$defs/x' } }, $defs: { x: {} } };
  const parameters = { check_resource: schema };
  const build = { version: '1.2', host: 'h', pid: 42 };
  const schemas = { parameters, outputs: parameters };
  return { instance, module, ...build, commands, ...schemas, seenAt, ...load };
}

function withdrawn(one: ExecutorRecord): ExecutorRecord {
  const { outputs: _, parameters: __, ...rest } = one;
  return { ...rest, busy: 0, stopped: true };
}

async function listed(
  executors: ExecutorRegistry,
  since: number,
  module?: string,
): Promise<ExecutorRecord[]> {
  return sorted(await executors.listExecutors(since, module));
}

function sorted(records: readonly ExecutorRecord[]): ExecutorRecord[] {
  const key = ({ instance, module }: ExecutorRecord): string => `${instance}/${module}`;
  return [...records].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}
