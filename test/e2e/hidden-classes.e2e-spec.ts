import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { Api, Worker } from '../load/index.js';
import { type AppProcess, planStandalone } from '../stack/index.js';
import { Trial, writeFlows } from '../trial/index.js';

jest.setTimeout(240_000);

const ROUNDS = 100;
const MODULE = 'made-up';
const SUCCEED = { module: 'lab', command: 'succeed' };
const FAIL = { module: 'lab', command: 'fail', parameters: { kind: 'terminal' } };
const FLOWS = {
  worked: [{ name: 'make', normal: { module: MODULE, command: 'make' } }],
  chain: ['a', 'b'].map((name) => ({ name, normal: SUCCEED })),
  undone: [
    { name: 'a', normal: SUCCEED, rollback: SUCCEED },
    { name: 'b', normal: FAIL },
  ],
  each: [
    { name: 'each', foreach: { in: [1, 2], as: 'n', steps: [{ name: 'a', normal: SUCCEED }] } },
  ],
};

/** A line of V8's log about an object that grew: its place in the code, and the new member. */
const GREW = /^map,Transition,(?:[^,]*,){4}(\d+,\d+),[^,]*,(\w+)$/gm;

describe('the hidden classes of objects', () => {
  const trial = new Trial('hidden-classes');
  let backstep: AppProcess;
  let api: Api;
  let log: string;

  beforeAll(
    trial.guard(async () => {
      await trial.open();
      const { folder } = trial;
      log = path.join(folder, 'maps.log');
      const nodeFlags = ['--log-maps', '--no-logfile-per-isolate', `--logfile=${log}`];
      const settings = { flows: await writeFlows(folder, FLOWS) };
      backstep = await planStandalone({ folder, nodeFlags, settings });
      trial.use({ stop: () => backstep.terminate() });
      await backstep.start();
      api = new Api(backstep.url);
    }),
  );
  afterAll(() => trial.close());

  /** Requests of each kind, and steps that go forward, back and through rounds. */
  async function round(worker: Worker): Promise<void> {
    const taskId = await api.create('worked', { size: 1 });
    const [item] = await worker.poll();
    await worker.report(item, 'heartbeat');
    await worker.report(item, 'complete', { output: { made: true } });
    for (const flow of ['chain', 'undone', 'each']) await api.run(flow, { size: 1 });
    await api.task(taskId);
    await api.get('/v1/tasks?limit=2');
  }

  // Node 20 makes one for each copy that grows: what is spread stands behind the other members.
  trial.it('are not made anew by each request', async () => {
    const worker = await Worker.register(api, MODULE);
    await round(worker);
    const before = (await readFile(log, 'latin1')).length;
    for (let n = 0; n < ROUNDS; n += 1) await round(worker);
    await backstep.terminate();
    const text = (await readFile(log, 'latin1')).slice(before);
    const counts = new Map<string, number>();
    for (const [, place, member] of text.matchAll(GREW)) {
      const key = `${member} at ${place}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const often = [...counts].filter(([, count]) => count >= ROUNDS / 2);
    expect(often).toEqual([]);
  });
});
