import { afterAll, beforeAll, describe, expect, jest } from '@jest/globals';
import { type BreakableStack, BROKEN, BROKEN_KINDS } from '../broken/breakable-stack.js';
import { openBreakable } from '../broken/breakable-stack.js';
import { type Filled, NAMED_RECORDS, RECORD_FLOWS } from '../broken/record-desk.js';
import { RecordDesk, SOUND } from '../broken/record-desk.js';
import { untilTask } from '../ledger/index.js';
import { describeWith } from '../servers/describe-with.js';
import { DEPLOYMENTS } from '../stack/index.js';
import { Trial, WAITS, writeFlows } from '../trial/index.js';

jest.setTimeout(300_000);

const LISTS = ['schedules', 'notifications', 'keys', 'locks'];
const SOUND_ALONE = Object.fromEntries(LISTS.map((path) => [path, [SOUND]]));

describe.each(DEPLOYMENTS)('$kind', ({ kind, servers }) => {
  describeWith(`broken records in the store of a ${kind} Backstep`, { servers, own: true }, () => {
    const trial = new Trial(`broken-records-${kind}`);
    let stack: BreakableStack;
    let desk: RecordDesk;
    let filled: Filled;

    beforeAll(
      trial.guard(async () => {
        await trial.open();
        const flows = await writeFlows(trial.folder, RECORD_FLOWS);
        const settings = { flows, httpAllow: '127.0.0.1', ...WAITS.followSoon };
        stack = await openBreakable(kind, trial, settings);
        desk = new RecordDesk(stack.url);
        filled = await desk.fill();
        await stack.breakAll(filled);
      }),
    );
    afterAll(() => trial.close());

    trial.it('are told of as such, each by itself', () => toldOf(desk, filled));
    trial.it('are in the way of no other', () => inNobodysWay(desk, filled));
    trial.it('are counted by their kinds', async () => {
      await desk.list(`notifications/${SOUND}/deliveries`);
      await desk.until('every kind is counted', async () => {
        expect(await desk.countedKinds()).toEqual(expect.arrayContaining([...BROKEN_KINDS]));
      });
    });
    trial.it('are in nobody’s way when Backstep starts again', async () => {
      await stack.restart();
      expect((await desk.api.run('quick')).status).toBe('succeeded');
      expect(await desk.names(LISTS)).toEqual(SOUND_ALONE);
    });
    trial.it('are replaced and removed by requests', () => mended(desk, filled));
  });
});

async function toldOf(desk: RecordDesk, { auditEntry, key, operation, task }: Filled) {
  const paths = [`schedules/${BROKEN}`, `notifications/${BROKEN}`, `flows/${BROKEN}`];
  for (const path of [...paths, `operations/${operation}`, `keys/${key}`]) {
    expect(await desk.refusal(path)).toEqual([path, 409, 'RECORD_UNREADABLE']);
  }
  const path = `tasks/${task}`;
  expect(await desk.refusal(path)).toEqual([path, 409, 'TASK_UNREADABLE']);
  const tasks = await desk.list('tasks?limit=200');
  const stubs = tasks.filter(({ status }) => status === 'unreadable');
  expect(stubs.map(({ taskId }) => taskId)).toEqual([task]);
  const entries = await desk.list('audit?first=oldest&limit=3');
  const broken = entries.filter((entry) => 'unreadable' in entry);
  expect([entries.length, broken.map(({ seq }) => seq)]).toEqual([3, [auditEntry]]);
}

async function inNobodysWay(desk: RecordDesk, { live }: Filled) {
  for (const taskId of live) {
    await untilTask(desk.api, taskId, ({ status }) => status === 'succeeded');
  }
  expect((await desk.api.run('quick')).status).toBe('succeeded');
  expect(await desk.names(LISTS)).toEqual(SOUND_ALONE);
  expect(await desk.list('operations')).toHaveLength(1);
  const before = await desk.startedByClock();
  await desk.until('the sound schedule goes on', async () => {
    expect(await desk.startedByClock()).toBeGreaterThan(before);
  });
}

async function mended(desk: RecordDesk, { key }: Filled) {
  expect(await desk.put(`schedules/${BROKEN}`, NAMED_RECORDS.schedules)).toBe(201);
  expect(await desk.remove(`flows/${BROKEN}`, { 'if-match': '*' })).toBe(204);
  expect(await desk.put(`flows/${BROKEN}`, NAMED_RECORDS.flows)).toBe(200);
  expect(await desk.remove(`notifications/${BROKEN}`)).toBe(204);
  expect(await desk.remove(`keys/${key}`)).toBe(204);
  const kinds = await desk.countedKinds();
  for (const kind of ['schedule', 'notification', 'key']) expect(kinds).not.toContain(kind);
}
