import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { SystemClock } from 'backstep';
import { BARRIER_TABLE, openSqlite, SqliteBarrier, type SqliteFile } from 'backstep/barrier';
import { commandContext, type FlowTest, startFlowTest } from 'backstep/testing';
import { STOCK_TABLE, StockExecutor } from './stock.executor.js';
import { StockModule } from './stock.module.js';

const clock = new SystemClock();
let folder: string;
let file: SqliteFile;
let executor: StockExecutor;
let flows: FlowTest;

before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'stock-'));
  const stock = path.join(folder, 'stock.db');
  file = await openSqlite({ clock, file: stock, migrations: [BARRIER_TABLE, STOCK_TABLE] });
  executor = new StockExecutor(file, new SqliteBarrier(file, clock));
  flows = await startFlowTest({ modules: [StockModule.register(stock)], flows: 'flow-configs' });
});

after(async () => {
  await flows.stop();
  await file.close();
  await rm(folder, { recursive: true });
});

test('a command has its effect once, however often it is started', async () => {
  const chairs = { item: 'chair', count: 5 };
  await executor.reserve(chairs, commandContext({ fencingToken: 1 }));
  await executor.reserve(chairs, commandContext({ fencingToken: 2 }));
  assert.equal(executor.count('chair'), 95);
  await executor.putBack(chairs, commandContext({ direction: 'rollback', fencingToken: 3 }));
  assert.equal(executor.count('chair'), 100);
});

test('an order takes items out of stock', async () => {
  const order = { item: 'table', count: 2, address: '12 Main Street' };
  const task = await flows.run('order', order);
  assert.equal(task.status, 'succeeded');
  assert.deepEqual(task.steps[1]?.output, { sentTo: '12 Main Street' });
  assert.equal(executor.count('table'), 8);
});

test('an order that cannot be sent puts them back', async () => {
  const task = await flows.run('order', { item: 'chair', count: 3, address: 'nowhere' });
  assert.equal(task.status, 'rolled_back');
  assert.equal(executor.count('chair'), 100);
});

for (const failAt of ['reserve', { step: 'send', where: 'after' }] as const) {
  test(`an order that fails at ${JSON.stringify(failAt)} leaves nothing behind`, async () => {
    const order = { item: 'chair', count: 3, address: '12 Main Street' };
    const task = await flows.run('order', order, { failAt });
    assert.equal(task.status, 'rolled_back');
    assert.equal(executor.count('chair'), 100);
  });
}
